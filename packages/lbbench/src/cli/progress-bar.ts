import type { WriteStream } from "node:tty";
import { Presets, SingleBar } from "cli-progress";
import { renderStepLine, type StepKey, type SweepEvent } from "../index.js";
import type { Progress } from "./progress.js";

const TICKS_PER_STEP = 100;

/** A bar over all steps with the time left, what is being done, and a line above it for each step that is done. */
export function createProgressBar(stream: WriteStream): Progress {
  const bar = new SingleBar(
    {
      stream,
      format: "{bar} {percentage}% | {step}/{steps} | {eta_formatted} left | {what}",
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 200,
      barsize: 24,
      linewrap: false,
      forceRedraw: true,
    },
    Presets.shades_classic,
  );
  let running = false;
  let step = 0;
  let steps = 0;

  const stop = (): void => {
    if (running) bar.stop();
    running = false;
  };
  const say = (line: string): void => {
    // The bar redraws itself below what is written in its place.
    stream.write(`\r\u001B[K${line}\n`);
    if (running) bar.render();
  };
  const show = (share: number, what: string): void => {
    bar.update(Math.round((step + share) * TICKS_PER_STEP), { step: Math.min(step + 1, steps), steps, what });
  };
  return {
    onEvent: (event: SweepEvent) => {
      switch (event.type) {
        case "start":
          steps = event.total ?? 0;
          running = true;
          bar.start(steps * TICKS_PER_STEP, 0, { step: 1, steps, what: "checking the targets" });
          break;
        case "check":
          show(0, `checking ${event.target}`);
          break;
        case "step":
          step = event.index;
          break;
        case "phase":
          if (event.phase !== "stopping") show(0, `${describe(event.step)}: ${event.phase}`);
          break;
        case "progress":
          show(event.share, `${describe(event.step)}: ${event.done} answers`);
          break;
        case "step-done":
          step = event.index + 1;
          say(renderStepLine(event.step));
          show(0, "");
          break;
        case "done":
          stop();
      }
    },
    say,
    stop,
  };
}

function describe({ target, level }: StepKey): string {
  return `${target} at ${level.connections}`;
}
