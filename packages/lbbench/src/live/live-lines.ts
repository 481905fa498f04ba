import { plannedTrials } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import { formatCount, formatRate, formatTime, countOf } from "../stats/format-number.js";
import { ROLES } from "../report/cells.js";
import { plainLine } from "../report/plain-line.js";
import { characterWidths, cutToWidth, shortenToWidth, textWidth } from "../report/text-layout.js";
import type { LiveUsage } from "../model/usage.js";
import { doingOf, progressWords, rateOf } from "./live-panel.js";
import { isUnderWay, shareDone, type LiveState, type LiveStep } from "./live-state.js";

/**
 * Returns the lines of a live view of a run: the bar over all steps, the step under way with what is measured, processor time by
 * role. All are plain text and narrower than a terminal of `columns`, so that none of them wraps; a line with nothing to tell is left
 * out. What matters least goes first where there is no room.
 *
 * @param nowMs the time, by the clock that the state was told.
 */
export function renderLiveLines(state: LiveState, nowMs: number, columns: number): readonly string[] {
  const room = Math.max(0, columns - 1);
  const step = isUnderWay(state) ? state.step : null;
  const before = doingOf(state) || (state.began === null ? "checking the targets" : "");
  return [
    renderLiveBar(state, nowMs, room),
    step === null
      ? cutToWidth(state.isOver ? "" : steadyName(before), room)
      : stepLine(step, plannedTrials(state.planned, [step.key]), room),
    step === null ? "" : usageLine(step.usage ?? {}, state.workers, room),
  ].filter((line) => line !== "");
}

const LONGEST_BAR = 30;
const SHORTEST_BAR = 6;
/** What is kept for the words before the bar gets any longer. */
const WORDS = 46;

/**
 * Returns the bar over all steps in at most so many columns: `████░░░░ 42% · 4 of 12 steps done · about 38 s left`; of a search
 * `4 of at most 12 steps done · at most 38 s left`.
 */
export function renderLiveBar(state: LiveState, nowMs: number, columns: number): string {
  const share = shareDone(state) ?? 0;
  const size = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, columns - WORDS));
  const filled = Math.round(share * size);
  const [done = "", left = ""] = progressWords(state, nowMs);
  const bar = `${"█".repeat(filled)}${"░".repeat(size - filled)} ${Math.floor(share * 100)}%`;
  const parts = [
    { text: bar, weight: 2 },
    { text: done, weight: 3 },
    { text: left, weight: 1 },
  ];
  return fit(parts, columns);
}

/** A part of a line; where there is no room for all, those with the least weight are left out. */
interface Part {
  readonly text: string;
  readonly weight: number;
}

function stepLine(step: LiveStep, trials: number, room: number): string {
  const { key, phase, progress } = step;
  const { target, level, trial } = key;
  const value = formatCount(loadValue(level));
  const load = level.users === undefined ? `at ${value}` : `rising to ${value}`;
  // A long name leaves half of the line to the figures.
  const longest = Math.max(Math.floor(room / 2) - load.length, SHORTEST_NAME);
  const { latest, failed, done } = progress ?? {};
  const rate = rateOf(step);
  const answers =
    progress === null ? "" : rate === null ? countOf(done ?? 0, "answer") : `${formatRate(rate)} requests/s`;
  const parts: readonly Part[] = [
    { text: `${shortenToWidth(steadyName(target), longest)} ${load}`, weight: 9 },
    { text: trials > 1 ? `trial ${trial}/${trials}` : "", weight: 1 },
    { text: phase ?? "starting", weight: progress === null ? 8 : 0 },
    { text: latest?.users === undefined ? "" : countOf(latest.users, "user"), weight: 4 },
    { text: answers, weight: 7 },
    { text: typeof latest?.p99 === "number" ? `p99 ${formatTime(latest.p99)} ms` : "", weight: 5 },
    { text: failed === undefined ? "" : `${formatCount(failed)} failed`, weight: (failed ?? 0) > 0 ? 6 : 3 },
  ];
  return fit(parts, room);
}

/** What has no room is the part that used least, but never the generator, or the workers in its place: what stands first. */
function usageLine(usage: LiveUsage, workers: number, room: number): string {
  const used = ROLES.flatMap(({ role, label }) => {
    const cpu = usage[role]?.cpu;
    return cpu === undefined ? [] : [{ text: `${label} ${formatCount(cpu * 100)}%`, weight: cpu }];
  }).map(({ text, weight }, index): Part => ({ text: index === 0 ? `CPU ${text}` : text, weight }));
  const parts = workers === 0 ? used : [{ text: countOf(workers, "worker"), weight: 0 }, ...used];
  return fit(
    parts.map((part, index) => (index === 0 ? { ...part, weight: Infinity } : part)),
    room,
  );
}

const SEPARATOR = " · ";
const SHORTEST_NAME = 8;

function fit(all: readonly Part[], room: number): string {
  const parts = all.filter(({ text }) => text !== "");
  const line = parts.map(({ text }) => text).join(SEPARATOR);
  if (parts.length <= 1) return cutToWidth(line, room);
  if (textWidth(line) <= room) return line;
  const least = Math.min(...parts.map(({ weight }) => weight));
  return fit(
    parts.filter(({ weight }) => weight !== least),
    room,
  );
}

/**
 * A name in which every character takes the columns that it seems to take: terminals do not agree on sequences that make one picture
 * of several, so the first part of them has to do.
 */
function steadyName(name: string): string {
  return characterWidths(plainLine(name))
    .map(([character, columns]) => {
      const parts = Array.from(character);
      return parts.reduce((sum, part) => sum + textWidth(part), 0) === columns ? character : (parts[0] ?? "");
    })
    .join("");
}
