import { performance } from "node:perf_hooks";
import { renderStepLine, type StepKey, type SweepEvent } from "../index.js";
import { renderBarLine } from "./bar-line.js";
import { describeWarning } from "./describe-warning.js";
import { createLiveLine, type Terminal } from "./live-line.js";
import type { Progress } from "./progress.js";

const FALLBACK_COLUMNS = 80;

/** A step is done when its result is there, not when its last answer is. */
const ALMOST_DONE = 0.99;

/**
 * A bar over all steps with the time left and what is being done, and a line above it for each step that is done.
 *
 * @param now the time, in ms; only differences count.
 */
export function createProgressBar(terminal: Terminal, now: () => number = () => performance.now()): Progress {
  let done = 0;
  let steps = 0;
  let before = 0;
  let beganAt: number | undefined;
  let what = "";
  const line = createLiveLine(terminal, () =>
    renderBarLine(
      { done, steps, before, elapsedMs: now() - (beganAt ?? now()), what },
      terminal.columns || FALLBACK_COLUMNS,
    ),
  );
  return {
    onEvent: (event: SweepEvent) => {
      switch (event.type) {
        case "start":
          steps = event.total ?? 0;
          what = "checking the targets";
          line.start();
          break;
        case "plan":
          steps = event.total ?? 0;
          break;
        case "check":
          what = `checking ${event.target}`;
          break;
        case "step":
          if (beganAt === undefined) {
            beganAt = now();
            before = event.index;
            done = event.index;
          }
          break;
        case "phase":
          if (event.phase !== "stopping") what = `${describe(event.step)}: ${event.phase}`;
          break;
        case "progress":
          done = Math.floor(done) + Math.min(event.share, ALMOST_DONE);
          what = `${describe(event.step)}: ${event.done} answers`;
          break;
        case "warning":
          line.say(describeWarning(event));
          break;
        case "step-done":
          done = event.index + 1;
          what = "";
          line.say(renderStepLine(event.step));
          break;
        case "done":
          line.stop();
      }
    },
    say: line.say,
    stop: line.stop,
  };
}

function describe({ target, level }: StepKey): string {
  const { connections, rate, users } = level;
  return users === undefined ? `${target} at ${connections ?? rate}` : `${target} rising to ${users}`;
}
