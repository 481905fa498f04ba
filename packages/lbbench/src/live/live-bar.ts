import { cutToWidth, textWidth } from "../report/text-width.js";
import type { LiveState } from "./live-state.js";
import { shareDone } from "./share-done.js";
import { estimateTimeLeft } from "./time-left.js";

const LONGEST_BAR = 30;
const SHORTEST_BAR = 6;
/** What is kept for the words before the bar gets any longer. */
const WORDS = 38;
/** Returns the bar over all steps in at most so many columns: `████░░░░ 42% · step 5/12 · 38s left`. */
export function renderLiveBar(state: LiveState, nowMs: number, columns: number): string {
  const { done, total } = state;
  const share = shareDone(state);
  if (share === null || total === null) return cutToWidth(`step ${done + 1}`, columns);
  const size = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, columns - WORDS));
  const filled = Math.round(share * size);
  const bar = `${"█".repeat(filled)}${"░".repeat(size - filled)}`;
  const step = `${Math.floor(share * 100)}% · step ${Math.min(done + 1, total)}/${total}`;
  const leftMs = share === 1 ? null : estimateTimeLeft(state, nowMs);
  const left = leftMs === null ? "" : ` · ${formatTimeLeft(leftMs)} left`;
  const lines = [`${bar} ${step}${left}`, `${bar} ${step}`, step];
  return lines.find((line) => textWidth(line) <= columns) ?? cutToWidth(step, columns);
}

function formatTimeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}
