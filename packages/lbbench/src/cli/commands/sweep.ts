import { DEFAULTS } from "../../config/defaults.js";
import { ENGINE_NAMES, SERVER_NAMES, SERVERS_WITH_OPTIONS, settingsOf } from "../../config/settings.js";
import type { Argument, Command } from "../io.js";

/** The word that names what is measured. */
export const URL_ARGUMENT: Argument = { name: "[url]", about: "a server that is running" };

/** What is measured where nothing is named. */
export const OWN_TARGETS = `Without a URL or a target it compares its own: ${DEFAULTS.targets.map(({ name }) => name).join(", ")}.`;

/** Names for the end of the help of a run. */
export const BUILT_IN: readonly string[] = [
  `Servers: ${SERVER_NAMES.join(", ")}; in a config file also ${SERVERS_WITH_OPTIONS.join(", ")}\n` +
    `Engines: ${ENGINE_NAMES.join(", ")}\n`,
];

/** `lbbench sweep`. */
export const sweepCommand: Command = {
  name: "sweep",
  summary: "sweep levels of load over one or more targets",
  about: `Sweeps levels of load over one or more targets, judges what was measured and leaves a report.\n${OWN_TARGETS}`,
  arguments: [URL_ARGUMENT],
  settings: settingsOf("sweep"),
  examples: [
    "sweep http://127.0.0.1:8080/",
    "sweep -t single -t balanced -c 10:100:10 -d 5s --trials 6",
    "sweep http://127.0.0.1:8080/ -r 500,1000 --threshold 'p99<50ms'",
  ],
  notes: BUILT_IN,
  run: async (words, flags, invocation) => {
    const { NOT_IN_SWEEP, sweepParsed } = await import("../../index.js");
    const { runKind } = await import("../run.js");
    const kind = {
      name: "sweep",
      defaultName: DEFAULTS.name,
      leaveOut: () => NOT_IN_SWEEP,
      start: sweepParsed,
    } as const;
    return runKind(kind, words, flags, invocation);
  },
};
