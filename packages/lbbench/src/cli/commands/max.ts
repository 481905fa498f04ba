import { DEFAULTS } from "../../config/defaults.js";
import { settingsOf } from "../../config/settings.js";
import type { Command } from "../io.js";
import { BUILT_IN, URL_ARGUMENT } from "./sweep.js";

/** `lbbench max`. */
export const maxCommand: Command = {
  name: "max",
  summary: "search the largest load that still holds",
  about:
    "Searches the largest number of connections, or the largest rate, at which no request fails and every threshold is met: " +
    "upwards by doubling until a level does not hold, then to the middle of what held and what did not.\n" +
    "Exit code 0: it was found; 1: not even 1 holds; 3: it cannot be said.",
  arguments: [URL_ARGUMENT],
  settings: settingsOf("max"),
  examples: [
    "max http://127.0.0.1:8080/ --threshold 'p99<50ms'",
    "max -t single -t balanced --by rate --most 20000",
    "max http://127.0.0.1:8080/ --trials 5 --beyond 1.25",
  ],
  notes: BUILT_IN,
  run: async (words, flags, invocation) => {
    const { NOT_IN_SEARCH, searchParsed } = await import("../../index.js");
    const { runKind } = await import("../run.js");
    const kind: Parameters<typeof runKind>[0] = {
      name: "max",
      defaultName: DEFAULTS.search.name,
      // The schedule of a config file goes with its rates, which a search has not, unless it searches a rate itself.
      leaveOut: ({ search }, { poisson, maxInFlight }) =>
        search?.by === "rate" || poisson !== undefined || maxInFlight !== undefined
          ? NOT_IN_SEARCH
          : [...NOT_IN_SEARCH, "arrival"],
      start: searchParsed,
    };
    return runKind(kind, words, flags, invocation);
  },
};
