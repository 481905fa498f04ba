import { DEFAULTS } from "../../config/defaults.js";
import { POLICY_SCENARIO_NAMES, POLICY_SCENARIOS } from "../../config/policy-scenarios.js";
import { ENGINES, SERVER_NAMES, SERVERS_WITH_OPTIONS, settingsOf, type RunCommand } from "../../config/settings.js";
import type { Command } from "../io.js";

/** What is measured where nothing is named. */
const OWN_TARGETS = `Without a URL or a target it measures its own: ${DEFAULTS.targets.map(({ name }) => name).join(", ")}.`;

const WIDEST = Math.max(...ENGINES.map(([name]) => name.length));
const ENGINE_LINES = ENGINES.map(([name, when]) => `  ${name.padEnd(WIDEST)}  ${when}`);
const FAULTS = DEFAULTS.faults;
const WIDEST_SCENARIO = Math.max(...POLICY_SCENARIO_NAMES.map((name) => name.length));

/** A command that runs what a config file and flags say, as far as its help tells. */
type Run = { readonly name: RunCommand; readonly url?: string } & Pick<Command, "summary" | "about" | "examples"> &
  Partial<Pick<Command, "arguments">>;

const RUNS: readonly Run[] = [
  {
    name: "sweep",
    summary: "sweep levels of load over one or more targets",
    about: `Sweeps levels of load over one or more targets, judges what was measured and leaves a report.\n${OWN_TARGETS}`,
    examples: [
      "sweep http://127.0.0.1:8080/",
      "sweep -t single -t balanced -c 10:100:10 -d 5s --trials 6",
      "sweep http://127.0.0.1:8080/ -r 500,1000 --threshold 'p99<50ms'",
      "sweep -t balanced -t nginx --fault 'kill backend-2 at 3s' --fault 'start backend-2 at 8s'",
    ],
  },
  {
    name: "faults",
    summary: "tell what is lost when a backend dies, hangs or is slow",
    about:
      `Sends ${FAULTS.rate} requests per second for ${FAULTS.usualDurationMs / 1000} s. Meanwhile faults are done to each target, one after the other:\n` +
      `${FAULTS.usual.map((text) => `  ${text}\n`).join("")}` +
      `A target without ${FAULTS.backend} is refused, unless all targets have another backend in common. ` +
      "Faults that --fault names are done in place of those above, to any part of a target.\n" +
      `Without a target it measures ${FAULTS.targets.join(", ")}.`,
    url: "refused: faults are done to servers that lbbench starts",
    examples: [
      "faults -t balanced -t nginx -t haproxy",
      "faults -t balanced --fault 'pause backend-1 at 3s' --fault 'resume backend-1 at 6s' -d 12s",
      "faults -t cluster --fault 'kill cluster worker-1 at 3s' --threshold 'lost<10'",
    ],
  },
  {
    name: "policies",
    summary: "tell what a balancer's policies are worth when backends differ",
    about:
      "Sends requests at a rate to each policy of a balancer, while its backends do what a scenario says:\n" +
      `${POLICY_SCENARIO_NAMES.map((name) => `  ${name.padEnd(WIDEST_SCENARIO)}  ${POLICY_SCENARIOS[name].about}\n`).join("")}` +
      "The report tells which policy to take, and what the default costs: the requests that were not answered within a deadline.",
    arguments: [
      {
        name: "[scenario]",
        about: `what the backends do (default: ${DEFAULTS.policies.scenario})`,
        words: POLICY_SCENARIO_NAMES,
      },
    ],
    examples: [
      "policies",
      "policies stalls --policy round-robin --policy least-connections",
      "policies -t nginx -t haproxy --slow 'backend-1 by 2s from 10s to 40s'",
    ],
  },
  {
    name: "max",
    summary: "search the largest load that still holds",
    about:
      "Searches the largest number of connections, or the largest rate, at which no request fails and every threshold is met: " +
      "upwards by doubling until a level does not hold, then to the middle of what held and what did not.\n" +
      `${OWN_TARGETS}\n` +
      "Exit code 0: a limit was found; 1: not even the smallest load holds; 3: no limit can be told.",
    examples: [
      "max http://127.0.0.1:8080/ --threshold 'p99<50ms'",
      "max -t single -t balanced --by rate --most 20000",
      "max http://127.0.0.1:8080/ --trials 5 --beyond 1.25",
    ],
  },
  {
    name: "ramp",
    summary: "raise users over time",
    about:
      "Raises the number of users over time, each of whom sends the next request when the last is answered, and tells second by " +
      `second how the target answers.\n${OWN_TARGETS}`,
    examples: [
      "ramp http://127.0.0.1:8080/ --to 200 --over 1m",
      "ramp -t single -t balanced --from 10 --to 100 --steps 9",
    ],
  },
  {
    name: "hold",
    summary: "open thousands of connections and hold them",
    about:
      `Opens connections, sends a request on each every ${DEFAULTS.hold.everyMs / 1000} s and holds them. Tells how many live, how others were lost, the memory of a ` +
      "connection in each part of the target, and what faults and a burst beside them cost.\n" +
      "Where one local address has too few ports, it takes more of 127.0.0.0/8, and tells them.\n" +
      `${OWN_TARGETS}`,
    examples: [
      "hold http://127.0.0.1:8080/ -c 1000,10000,50000 --for 30s",
      "hold -t balanced -t nginx -c 2000 --burst 100",
      "hold -t balanced -c 2000 --fault 'drain backend-2 at 5s' --fault 'roll backends at 10s'",
    ],
  },
];

/** `lbbench sweep`, `lbbench faults`, `lbbench policies`, `lbbench max`, `lbbench ramp` and `lbbench hold`. */
export const runCommands: readonly Command[] = RUNS.map((run) => ({
  arguments: [{ name: "[url]", about: run.url ?? "a server that is running" }],
  ...run,
  settings: settingsOf(run.name),
  notes: [
    `Servers: ${SERVER_NAMES.join(", ")}; in a config file also ${SERVERS_WITH_OPTIONS.join(", ")}\n` +
      `\nEngines; auto, the default, takes the first that can do what is asked:\n${ENGINE_LINES.join("\n")}\n`,
  ],
  execute: async (invocation) => (await import("../run.js")).runKind(run.name, invocation),
}));
