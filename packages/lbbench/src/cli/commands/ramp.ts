import { DEFAULTS } from "../../config/defaults.js";
import { settingsOf } from "../../config/settings.js";
import type { Command } from "../io.js";
import { BUILT_IN, OWN_TARGETS, URL_ARGUMENT } from "./sweep.js";

/** `lbbench ramp`. */
export const rampCommand: Command = {
  name: "ramp",
  summary: "raise users over time",
  about:
    "Raises the number of users over time, each of whom sends the next request when the last is answered, and tells second by " +
    `second how the target answers.\n${OWN_TARGETS}`,
  arguments: [URL_ARGUMENT],
  settings: settingsOf("ramp"),
  examples: [
    "ramp http://127.0.0.1:8080/ --to 200 --over 1m",
    "ramp -t single -t balanced --from 10 --to 100 --steps 9",
  ],
  notes: BUILT_IN,
  run: async (words, flags, invocation) => {
    const { NOT_IN_RAMP, rampParsed } = await import("../../index.js");
    const { runKind } = await import("../run.js");
    const kind = {
      name: "ramp",
      defaultName: DEFAULTS.ramp.name,
      leaveOut: () => NOT_IN_RAMP,
      start: rampParsed,
    } as const;
    return runKind(kind, words, flags, invocation);
  },
};
