import type { LoadProgress } from "../plugin.js";
import { loadValue } from "../stats/load.js";
import { formatCount, formatRate, formatTime, formatTotal } from "../stats/format-number.js";
import { ROLES } from "../report/cells.js";
import { plainLine } from "../report/plain-line.js";
import { characterWidths, cutToWidth, shortenToWidth, textWidth } from "../report/text-layout.js";
import type { LiveUsage } from "../model/usage.js";
import { estimateTimeLeft, isUnderWay, shareDone, type LiveState, type LiveStep } from "./live-state.js";
import { countOf } from "../stats/count-of.js";

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
  return [
    renderLiveBar(state, nowMs, room),
    step === null ? cutToWidth(steadyName(betweenSteps(state)), room) : stepLine(step, state.trials, room),
    step === null || step.usage === null ? "" : usageLine(step.usage, room),
  ].filter((line) => line !== "");
}

const LONGEST_BAR = 30;
const SHORTEST_BAR = 6;
/** What is kept for the words before the bar gets any longer. */
const WORDS = 38;

/**
 * Returns the bar over all steps in at most so many columns: `████░░░░ 42% · step 5/12 · 38s left`; of a search
 * `step 5 of at most 12 · at most 38s left`.
 */
export function renderLiveBar(state: LiveState, nowMs: number, columns: number): string {
  const { done, total, isBound } = state;
  const share = shareDone(state);
  if (share === null || total === null) return cutToWidth(`step ${done + 1}`, columns);
  const size = Math.max(SHORTEST_BAR, Math.min(LONGEST_BAR, columns - WORDS));
  const filled = Math.round(share * size);
  const bar = `${"█".repeat(filled)}${"░".repeat(size - filled)}`;
  const [number, atMost] = [Math.min(done + 1, total), isBound ? "at most " : ""];
  const step = `${Math.floor(share * 100)}% · step ${number}${isBound ? formatTotal(total, isBound) : `/${total}`}`;
  const leftMs = share === 1 ? null : estimateTimeLeft(state, nowMs);
  const left = leftMs === null ? "" : ` · ${atMost}${formatTimeLeft(leftMs)} left`;
  const lines = [`${bar} ${step}${left}`, `${bar} ${step}`, step];
  return lines.find((line) => textWidth(line) <= columns) ?? cutToWidth(step, columns);
}

function formatTimeLeft(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
}

function betweenSteps({ checking, began }: LiveState): string {
  if (checking !== null) return `checking ${checking}`;
  return began === null ? "checking the targets" : "";
}

/** A part of a line; where there is no room for all, those with the least weight are left out. */
interface Part {
  readonly text: string;
  readonly weight: number;
}

function stepLine({ key, phase, progress }: LiveStep, trials: number, room: number): string {
  const { target, level, trial } = key;
  const value = formatCount(loadValue(level));
  const load = level.users === undefined ? `at ${value}` : `rising to ${value}`;
  // A long name leaves half of the line to the figures.
  const longest = Math.max(Math.floor(room / 2) - load.length, SHORTEST_NAME);
  const parts: readonly Part[] = [
    { text: `${shortenToWidth(steadyName(target), longest)} ${load}`, weight: 9 },
    ...(trials > 1 ? [{ text: `trial ${trial}/${trials}`, weight: 1 }] : []),
    { text: phase ?? "starting", weight: progress === null ? 8 : 0 },
    ...(progress === null ? [] : figures(progress)),
  ];
  return fit(parts, room);
}

function figures({ done, failed, elapsedMs, latest }: LoadProgress): readonly Part[] {
  const p99 = latest?.p99;
  return [
    ...(latest?.users === undefined ? [] : [{ text: countOf(latest.users, "user"), weight: 4 }]),
    { text: describeRate(done, failed, elapsedMs, latest?.ok), weight: 7 },
    ...(typeof p99 === "number" ? [{ text: `p99 ${formatTime(p99)} ms`, weight: 5 }] : []),
    ...(failed === undefined ? [] : [{ text: `${formatCount(failed)} failed`, weight: failed > 0 ? 6 : 3 }]),
  ];
}

/** Of the last second; before one is over of the time so far. */
function describeRate(done: number, failed: number | undefined, elapsedMs: number, ok: number | undefined): string {
  if (ok !== undefined) return `${formatRate(ok)} ok/s`;
  if (failed === undefined || elapsedMs <= 0) return countOf(done, "answer");
  return `${formatRate(((done - failed) / elapsedMs) * 1000)} ok/s`;
}

/** What has no room is the part that used least, but never the generator. */
function usageLine(usage: LiveUsage, room: number): string {
  const [first, ...others] = ROLES.flatMap(({ role, label }): readonly Part[] => {
    const cpu = usage[role]?.cpu;
    return cpu === undefined ? [] : [{ text: `${label} ${formatCount(cpu * 100)}%`, weight: cpu }];
  });
  return first === undefined ? "" : fit([{ text: `CPU ${first.text}`, weight: Infinity }, ...others], room);
}

const SEPARATOR = " · ";
const SHORTEST_NAME = 8;

function fit(parts: readonly Part[], room: number): string {
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
