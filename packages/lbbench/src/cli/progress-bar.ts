import { performance } from "node:perf_hooks";
import { nextLiveState, NOT_BEGUN, renderLiveLines, renderStepLine, wrapWords } from "../index.js";
import { describeWarning } from "./describe-warning.js";
import { doesReflow } from "./does-reflow.js";
import type { CommandIo } from "./io.js";
import { createLiveBlock, type Terminal } from "./live-block.js";
import type { Progress } from "./progress.js";

const FALLBACK_COLUMNS = 80;
const INDENT = "  ";

/**
 * A live view at the bottom of a terminal: a bar over all steps with the time left, the step under way with what is measured, and
 * processor time by role. Above it stands a line for each step that is done, and each warning, broken between words.
 *
 * @param now the time, in ms; only differences count.
 */
export function createProgressBar(
  terminal: Terminal,
  env: CommandIo["env"],
  now: () => number = () => performance.now(),
): Progress {
  let state = NOT_BEGUN;
  const block = createLiveBlock(terminal, (columns) => renderLiveLines(state, now(), columns), doesReflow(env));
  const say = (sentence: string): void =>
    block.say(wrapWords(sentence, terminal.columns || FALLBACK_COLUMNS, INDENT).join("\n"));
  return {
    onEvent: (event) => {
      state = nextLiveState(state, event, now());
      if (event.type === "start") block.start();
      if (event.type === "warning") say(describeWarning(event));
      if (event.type === "step-done") say(renderStepLine(event.step));
      if (event.type === "done") block.stop();
    },
    say,
    stop: block.stop,
  };
}
