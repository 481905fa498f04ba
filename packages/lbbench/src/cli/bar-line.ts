import { toPrintable } from "./printable.js";

/** What a progress bar shows. */
export interface BarState {
  /** Steps that are done, with the part of the one under way: 2.5 of {@link BarState.steps}. */
  readonly done: number;
  /** 0 where nobody can say. */
  readonly steps: number;
  /** Steps that were done before this run began; none by default. */
  readonly before?: number;
  /** Since the first step began, in ms. */
  readonly elapsedMs: number;
  /** What is being done. */
  readonly what: string;
}

const LONGEST_BAR = 24;
const SHORTEST_BAR = 6;
/** What is kept for the words before the bar gets any longer. */
const WORDS = 60;
/** Before this share is done an estimate is a guess. */
const LEAST_SHARE = 0.02;

/** Returns the line of a progress bar, shorter than a terminal of `columns`, so that it never wraps. */
export function renderBarLine({ done, steps, before = 0, elapsedMs, what }: BarState, columns: number): string {
  const share = steps === 0 ? 0 : Math.min(1, done / steps);
  // Of what is to be done now.
  const own = steps <= before ? 0 : Math.min(1, (done - before) / (steps - before));
  const size = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, columns - WORDS));
  const filled = Math.round(share * size);
  const parts = [
    ...(steps === 0
      ? [`step ${Math.floor(done) + 1}`]
      : [
          `${"█".repeat(filled)}${"░".repeat(size - filled)} ${Math.floor(share * 100)}%`,
          `step ${Math.min(Math.floor(done) + 1, steps)}/${steps}`,
        ]),
    ...(own < LEAST_SHARE || share === 1 ? [] : [`${formatTimeLeft((elapsedMs * (1 - own)) / own)} left`]),
    ...(what === "" ? [] : [toPrintable(what).replaceAll(/\s+/g, " ")]),
  ];
  const line = parts.join(" · ");
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}

function formatTimeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}
