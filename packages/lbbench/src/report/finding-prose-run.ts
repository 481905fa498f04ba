import { countThings } from "./count-things.js";
import type { FindingCode } from "../model/finding.js";
import type { FindingProse } from "./finding-figures.js";

/** The words for findings about runs and steps that did not go to their end. */
export const RUN_PROSE = {
  INTERRUPTED: {
    title: "Interrupted",
    sentence: () => "the measurement was interrupted and holds what was counted until then",
    cause: "The run was stopped from outside, by Ctrl-C or by its caller.",
    remedy: "Repeat the run if the missing part matters.",
  },
  START_REPEATED: {
    title: "The target had to be started once more",
    sentence: (of) => `the target had to be started once more: ${withoutFullStop(of.text("message"))}`,
    cause: "The target ended by itself, was not yet free to start again, or wants the port of another target.",
    remedy: "Read the message. If this happens often, run the target alone and find out why it does not start.",
  },
  STEP_FAILED: {
    title: "The step failed",
    sentence: (of) => `the step failed with ${of.text("code")}: ${withoutFullStop(of.text("message"))}`,
    cause: "The message says what was expected and what came.",
    remedy: "Correct what the message names and run again.",
  },
  STOPPED_EARLY: {
    title: "Not all levels were measured",
    sentence: (of) =>
      `${of.count("skipped")} higher ${of.text("skipped") === "1" ? "level was" : "levels were"} not measured, because the stop rule ${of.text("rule")} was met (${of.metric("actual", "metric")})`,
    cause: "The target was at its limit, and the sweep was asked to go no further where that shows.",
    remedy: "Nothing, if that is far enough; else leave out --stop-on, or allow more with it.",
  },
  TARGET_DIED: {
    title: "The target died",
    sentence: (of) =>
      `the target ended while it was measured${
        of.has("atUsers") ? `, in second ${of.count("second")} with ${countThings(of, "atUsers", "user")}` : ""
      }: ${withoutFullStop(of.text("message"))}`,
    cause: "The target crashed, ran out of memory, or was stopped by something else.",
    remedy: "Read the output above and the target's log; find the level it survives with fewer connections.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

function withoutFullStop(message: string): string {
  return message.trimEnd().replace(/\.$/, "");
}
