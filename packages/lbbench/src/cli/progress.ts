import type { WriteStream } from "node:tty";
import { renderStepLine, type SweepEvent, type SweepListener } from "../index.js";
import { describeWarning } from "./describe-warning.js";
import { createProgressBar } from "./progress-bar.js";

/** Shows the progress of a sweep. */
export interface Progress {
  readonly onEvent: SweepListener;
  /** Prints a sentence beside the progress. */
  readonly say: (sentence: string) => void;
  /** Leaves the terminal tidy. May be called more than once. */
  readonly stop: () => void;
}

/** A live view on a terminal, a line for each step elsewhere and on a terminal that can do nothing else (`TERM=dumb`), nothing when quiet. */
export function startProgress(stream: WriteStream, quiet: boolean): Progress {
  if (quiet) return { onEvent: () => {}, say: () => {}, stop: () => {} };
  const canRedraw = stream.isTTY && process.env["TERM"] !== "dumb";
  return canRedraw ? createProgressBar(stream) : createProgressLines(stream);
}

function createProgressLines(stream: WriteStream): Progress {
  let total: number | undefined;
  const say = (line: string): void => void stream.write(`${line}\n`);
  return {
    onEvent: (event: SweepEvent) => {
      if (event.type === "start" || event.type === "plan") total = event.total;
      if (event.type === "warning") say(describeWarning(event));
      if (event.type === "step-done")
        say(`[${event.index + 1}${total === undefined ? "" : `/${total}`}] ${renderStepLine(event.step)}`);
    },
    say,
    stop: () => {},
  };
}
