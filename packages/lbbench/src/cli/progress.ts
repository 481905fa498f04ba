import { performance } from "node:perf_hooks";
import {
  describeFinding,
  describeLoad,
  nextLiveState,
  NOT_BEGUN,
  renderLiveLines,
  renderStepLine,
  wrapWords,
  type SweepEvent,
  type SweepListener,
} from "../index.js";
import type { CommandIo, Output } from "./io.js";
import { createLiveBlock, doesReflow, FALLBACK_COLUMNS, type Terminal } from "./live-block.js";
import { toPrintable } from "./terminal.js";

const INDENT = "  ";

/** Shows the progress of a sweep. */
export interface Progress {
  readonly onEvent: SweepListener;
  /** Prints a sentence beside the progress. */
  readonly say: (sentence: string) => void;
  /** Leaves the terminal tidy. May be called more than once. */
  readonly stop: () => void;
}

/** A live view on a terminal, a line for each step elsewhere and on a terminal that can do nothing else (`TERM=dumb`), nothing when quiet. */
export function startProgress({ stderr, env }: Pick<CommandIo, "stderr" | "env">, quiet: boolean): Progress {
  if (quiet) return { onEvent: () => {}, say: () => {}, stop: () => {} };
  const canRedraw = stderr.isTTY === true && env["TERM"] !== "dumb";
  return canRedraw ? createProgressBar(stderr, env) : createProgressLines(stderr);
}

function createProgressLines(stream: Output): Progress {
  let [total, isBound] = [0, false];
  const say = (line: string): void => void stream.write(`${line}\n`);
  return {
    onEvent: (event) => {
      if (event.type === "start") isBound = event.scenario.search !== null;
      if (event.type === "start" || event.type === "plan") total = event.total;
      if (event.type === "warning") say(describeWarning(event));
      if (event.type === "step-done")
        say(`[${event.index + 1}${isBound ? " of at most " : "/"}${total}] ${renderStepLine(event.step)}`);
    },
    say,
    stop: () => {},
  };
}

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

/** The line that tells what a step may run out of, before its load is sent. */
function describeWarning({ step, finding }: Extract<SweepEvent, { readonly type: "warning" }>): string {
  const { target, level } = step;
  return toPrintable(`warning ${finding.code}: ${target} at ${describeLoad(level)}: ${describeFinding(finding).text}`);
}
