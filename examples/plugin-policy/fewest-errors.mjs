import { powerOfTwoChoices } from "@lbbench/proxy";

/** What of the past is left after one more request. */
const MEMORY = 0.9;

/**
 * A measure of load: what a backend has in flight, times its share of failed requests of late. One that fails quickly has little in
 * flight; by that alone it would be given most.
 *
 * @type {import("@lbbench/proxy").LoadMeasure}
 */
const recentErrors = {
  name: "recent-errors",
  create: () => {
    /** @type {Map<string, number>} */
    const shares = new Map();
    return {
      loadOf: ({ name, inFlight }) => (inFlight + 1) * (0.01 + (shares.get(name) ?? 0)),
      ended: ({ name }, { outcome, status }) => {
        const failed = outcome === "failed" || status >= 500;
        shares.set(name, (shares.get(name) ?? 0) * MEMORY + (failed ? 1 - MEMORY : 0));
      },
    };
  },
};

export default powerOfTwoChoices({ load: recentErrors });
