import { renderStepLine, type SweepEvent, type SweepListener } from "../index.js";
import { describeWarning } from "./describe-warning.js";
import type { CommandIo, Output } from "./io.js";
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
export function startProgress({ stderr, env }: Pick<CommandIo, "stderr" | "env">, quiet: boolean): Progress {
  if (quiet) return { onEvent: () => {}, say: () => {}, stop: () => {} };
  const canRedraw = stderr.isTTY === true && env["TERM"] !== "dumb";
  return canRedraw ? createProgressBar(stderr, env) : createProgressLines(stderr);
}

function createProgressLines(stream: Output): Progress {
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
