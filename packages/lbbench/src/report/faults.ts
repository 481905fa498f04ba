/** What the faults of a run did to its targets: a row for each fault, target and level, its figures, and what is said of them. */
import { type FaultResponse, faultResponses } from "../judge/fault-response.js";
import { asArrays, asCompared } from "../judge/compare-trials.js";
import { type FaultMetric, metricValue } from "../judge/metrics.js";
import type { DoneFault, Fault } from "../model/fault.js";
import type { Result, StepResult } from "../model/result.js";
import { countOf } from "../stats/count-of.js";
import { median } from "../stats/descriptive.js";
import { formatFault, formatLookedFor, formatRecovery, harms, roundRecovery } from "../stats/faults.js";
import { formatCount, formatPercent, formatTenths, formatTime } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { adjustHolm, compareTrials, judgeDifference, summarizeTrials, trialsNeeded } from "../stats/trials.js";
import { type Cell, cellsByTarget, commonestWays } from "./cells.js";
import { joinWords } from "./plain-line.js";

/** A fault of a step beside the one that was asked for, of which it differs where `random` was drawn. */
export interface ToldFault {
  readonly asked: Fault;
  /** Absent where the step ended before. */
  readonly done?: DoneFault;
  /** Absent of what ends a fault, of what took no effect, and of what took it at the same moment as the next. */
  readonly response?: FaultResponse;
}

/** Returns the faults of a scenario as they went in a step, in their order; none without faults. */
export function toldFaults(step: StepResult, asked: readonly Fault[] = step.faults ?? []): readonly ToldFault[] {
  const left = [...(step.faults ?? [])];
  const responses = faultResponses(step);
  return asked.map((fault) => {
    const at = left.findIndex(
      ({ atMs, kind, part }) => atMs === fault.atMs && kind === fault.kind && [part, "random"].includes(fault.part),
    );
    const [done] = at === -1 ? [] : left.splice(at, 1);
    const response = responses.find((one) => one.fault === done);
    return { asked: fault, ...(done === undefined ? {} : { done }), ...(response === undefined ? {} : { response }) };
  });
}

/** A fault that harms, and what it did to a target at a level, over its trials. */
export interface FaultRow extends Pick<Cell, "target" | "level"> {
  /** `kill backend-2 at 3s`; with `random` where that was not the same in every trial. */
  readonly fault: string;
  /** One for each trial in which it took effect. */
  readonly responses: readonly FaultResponse[];
  /** Trials in which it could not be done. */
  readonly undone: number;
}

/** A fault as it was done in some steps, or, where it was not the same in all of them, as it was asked for. */
export function nameFault(asked: Fault, told: readonly ToldFault[]): string {
  const [first = formatFault(asked), ...others] = new Set(told.flatMap(({ done }) => (done ? formatFault(done) : [])));
  return others.length === 0 ? first : formatFault(asked);
}

/** Returns the rows of a result, by fault, in order of time, then by target; none without faults. */
export function collectFaults({ scenario }: Result, cells: readonly Cell[]): readonly FaultRow[] {
  const { faults = [] } = scenario;
  const told = cells.map((cell) => cell.measured.map((step) => toldFaults(step, faults)));
  return faults.flatMap((fault, at) =>
    harms(fault)
      ? cells.map(({ target, level }, index): FaultRow => {
          const own = (told[index] ?? []).flatMap((faultsOfStep) => faultsOfStep[at] ?? []);
          return {
            target,
            level,
            fault: nameFault(fault, own),
            responses: own.flatMap(({ response }) => response ?? []),
            undone: own.filter(({ done }) => done?.effectMs === null).length,
          };
        })
      : [],
  );
}

/** What a cell of a table says of a row; empty where nothing is known. */
export interface FaultCell {
  readonly text: string;
  /** How far several trials spread: `(38 to 44)`. */
  readonly spread?: string;
  /** To sort by; absent where there is none. */
  readonly value?: number;
  readonly isBad?: true;
}

/** A column of the table of faults. */
export interface FaultFigure {
  readonly head: string;
  /** Over a column of the terminal's table. */
  readonly short: string;
  readonly align: "left" | "right";
  /** What it means. */
  readonly title: string;
  readonly of: (row: FaultRow) => FaultCell;
}

/** The figure, or of several trials their median with its interval. */
function summarize(values: readonly number[], format: (value: number) => string): FaultCell {
  if (values.length === 0) return { text: "" };
  const { median: middle, low, high } = summarizeTrials(values);
  const [from, to] = [format(low), format(high)];
  return { text: format(middle), value: middle, ...(from === to ? {} : { spread: `(${from} to ${to})` }) };
}

const number =
  (of: (response: FaultResponse) => number | null, format: (value: number) => string): FaultFigure["of"] =>
  ({ responses }) =>
    summarize(
      responses.flatMap((response) => of(response) ?? []),
      format,
    );

/** A time until something happened, which may not have come: `1.2 s`, `1.2 s; never in 2 of 5 trials`, `not in 2.9 s`. */
const moment =
  (of: (response: FaultResponse) => number | null | undefined, never: (row: FaultRow) => string): FaultFigure["of"] =>
  (row) => {
    const times = row.responses.flatMap((response) => {
      const time = of(response);
      return time === undefined ? [] : [time];
    });
    const known = times.flatMap((time) => time ?? []);
    const missed = times.length - known.length;
    if (missed === 0) return summarize(known, formatRecovery);
    if (known.length === 0) return { text: never(row), isBad: true };
    const often = `${formatCount(missed)} of ${countOf(times.length, "trial")}`;
    return { text: `${summarize(known, formatRecovery).text}; never in ${often}`, value: median(known), isBad: true };
  };

const LOST: FaultFigure = {
  head: "Lost",
  short: "lost",
  align: "right",
  title: "requests that failed until the next fault of the table, or the end",
  of: (row) => {
    if (row.responses.length === 0 && row.undone > 0) return { text: "could not be done", isBad: true };
    return number(({ lost }) => lost, formatTenths)(row);
  },
};

const RECOVERY: FaultFigure = {
  head: "Recovery",
  short: "recovery",
  align: "right",
  title: "time until ok responses were within 5 % of before and at most 0.1 % failed, for good; known to 100 ms",
  of: moment(
    ({ recoveryMs }) => recoveryMs,
    ({ responses }) => `not ${formatLookedFor(median(responses.map(({ lookedMs }) => lookedMs)))}`,
  ),
};

/** The columns of the table of faults beside those that name a row, the most important first. */
export const FAULT_FIGURES: readonly FaultFigure[] = [
  LOST,
  {
    head: "How",
    short: "how",
    align: "left",
    title: "the commonest way in which requests failed",
    of: ({ responses }) => {
      const [first = "", ...others] = commonestWays(responses.map(({ failures }) => failures));
      return { text: others.length === 0 ? first : `mostly ${first}` };
    },
  },
  RECOVERY,
  {
    head: "p99 before (ms)",
    short: "p99 before",
    align: "right",
    title: "p99 of ok responses before the first fault; at most 9 % too high",
    of: number(({ p99BeforeMs }) => p99BeforeMs, formatTime),
  },
  {
    head: "p99 during (ms)",
    short: "p99 ms",
    align: "right",
    title: "p99 of ok responses until half a second after the recovery, for a second at least; at most 9 % too high",
    of: number(({ p99Ms }) => p99Ms, formatTime),
  },
  {
    head: "Slow",
    short: "slow",
    align: "right",
    title: "ok responses that took over 100 ms longer than p99 did before",
    of: number(({ slow }) => slow, formatTenths),
  },
  {
    head: "Share during (%)",
    short: "share %",
    align: "right",
    title: "part of the requests that the backend still got until it was whole again",
    of: number(({ shareDuring }) => shareDuring, formatPercent),
  },
  {
    head: "Share back after",
    short: "back",
    align: "right",
    title: "time from when the backend was whole again until it had 80 % of its former share of the requests",
    of: moment(
      ({ shareBackMs }) => shareBackMs,
      () => "never",
    ),
  },
];

/** Returns the figures of which some row tells anything. */
export function knownFigures(rows: readonly FaultRow[]): readonly FaultFigure[] {
  return FAULT_FIGURES.filter(({ of }) => rows.some((row) => of(row).text !== ""));
}

/** What the faults cost a target: of each trial, over all levels. */
interface Losses {
  readonly target: string;
  readonly lost: readonly number[];
  /** The slowest, in ms; `Infinity` where one did not come. */
  readonly recovery: readonly number[];
  readonly sent: readonly number[];
  /** A fault that could not be done in some trial. */
  readonly undone?: string;
}

function collectLosses(rows: readonly FaultRow[], cells: readonly Cell[]): readonly Losses[] {
  return [...cellsByTarget(cells)].flatMap(([target, own]) => {
    const trials = groupBy(
      own.flatMap(({ measured }) => measured),
      ({ trial }) => String(trial),
    );
    const whole = [...trials.values()].filter((steps) => steps.length === own.length);
    const undone = rows.find((row) => row.target === target && row.undone > 0)?.fault;
    if (whole.length === 0) return [];
    const valuesIn = (steps: readonly StepResult[], metric: FaultMetric): readonly number[] =>
      steps.map((step) => metricValue(step, metric) ?? 0);
    const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
    return [
      {
        target,
        lost: whole.map((steps) => sum(valuesIn(steps, "lost"))),
        recovery: whole.map((steps) => roundRecovery(Math.max(...valuesIn(steps, "recovery")))),
        sent: whole.map((steps) => sum(steps.map(({ measurement }) => measurement?.requests.sent ?? 0))),
        ...(undone === undefined ? {} : { undone }),
      },
    ];
  });
}

/** What a report model has of faults. */
interface Told {
  readonly faults: readonly FaultRow[];
  readonly cells: readonly Cell[];
}

/**
 * Says which target lost the fewest requests to the faults, where the trials tell it, and how many each lost; then which recovered first,
 * where they tell that; of a single target what the faults cost it. One fact a sentence; plain text, names as they came. Nothing without
 * faults that took effect.
 */
export function describeLosses({ faults: rows, cells }: Told): readonly string[] {
  if (rows.every(({ responses }) => responses.length === 0)) return [];
  const all = collectLosses(rows, cells);
  const compared = all.filter(({ undone }) => undone === undefined);
  const left = all.flatMap(({ target, undone }) =>
    undone === undefined || all.length === 1 ? [] : [`${target} is not compared: "${undone}" could not be done.`],
  );
  const [only] = all;
  if (only === undefined) return left;
  if (all.length === 1) return [describeCost(only)];
  if (compared.length < 2) return [...compared.map(describeCost), ...left];
  return [
    ...compareLost(rankTargets(compared, "lost")),
    ...compareRecoveries(rankTargets(compared, "recovery")),
    ...left,
  ];
}

/** `41 of 6,000`, `none of 6,000`. */
function tellLost({ lost, sent }: Losses): string {
  const count = median(lost);
  return `${count === 0 ? "none" : formatTenths(count)} of ${formatCount(median(sent))}`;
}

function describeCost(losses: Losses): string {
  const trials = losses.lost.length === 1 ? "" : ` (median of ${countOf(losses.lost.length, "trial")})`;
  return `${losses.target} lost ${tellLost(losses)} requests to the faults${trials}.`;
}

/** At least two targets by a metric, and what a test tells of them. */
interface Ranking {
  /** The one with the lowest median. */
  readonly first: Losses;
  /** By rising median. */
  readonly others: readonly Losses[];
  /** Those of the others that a test tells from the first. */
  readonly worse: readonly Losses[];
  /** What cannot be told apart: the first, and the rest. */
  readonly alike: readonly Losses[];
  readonly trials: number;
  /** The fewest trials with which a test could tell. */
  readonly trialsNeeded: number;
}

const byTrial = (values: readonly number[]): ReadonlyMap<number, number> => new Map(values.entries());

/** @param compared at least two */
function rankTargets(compared: readonly Losses[], metric: FaultMetric): Ranking {
  const sorted = compared.toSorted((a, b) =>
    median(a[metric]) < median(b[metric]) ? -1 : Number(median(a[metric]) > median(b[metric])),
  );
  const [first = compared[0] as Losses, ...others] = sorted;
  const pairs = sorted.flatMap((one, at) =>
    sorted.slice(at + 1).map((other) => {
      const starts = { reference: byTrial(one[metric]), other: byTrial(other[metric]) };
      return { one, other, sides: asArrays(asCompared(metric, starts)) };
    }),
  );
  const pValues = adjustHolm(pairs.map(({ sides }) => compareTrials(...sides).pValue));
  const told = pairs.filter(
    ({ one, sides }, at) => one === first && judgeDifference(...sides, pValues[at] ?? null) === "higher",
  );
  const worse = told.map(({ other }) => other);
  return {
    first,
    others,
    worse,
    alike: sorted.filter((one) => !worse.includes(one)),
    trials: Math.max(...compared.map(({ lost }) => lost.length)),
    trialsNeeded: trialsNeeded(pairs.length),
  };
}

/** ` (medians of 6 trials)`, nothing of one. */
function tellTrials({ trials }: Ranking): string {
  return trials === 1 ? "" : ` (medians of ${countOf(trials, "trial")})`;
}

const nameAll = (those: readonly Losses[]): string => joinWords(those.map(({ target }) => target));

function compareLost(ranking: Ranking): readonly string[] {
  const { first, others, worse, alike, trials, trialsNeeded: needed } = ranking;
  if ([first, ...others].every(({ lost }) => lost.every((count) => count === 0))) {
    return [`${nameAll([first, ...others])} lost no request to the faults.`];
  }
  const of = tellTrials(ranking);
  const more = others.map((one) => `${one.target} ${formatTenths(median(one.lost))}`);
  if (worse.length === others.length) {
    return [
      `${first.target} lost the fewest requests to the faults: ${tellLost(first)}.`,
      `${more.length === 1 ? "The other lost more" : "The others lost more"}: ${more.join(", ")}${of}.`,
    ];
  }
  const counts = `Requests lost to the faults: ${first.target} ${tellLost(first).replace("none", "0")}, ${more.join(", ")}${of}.`;
  if (trials < needed) {
    return [counts, `${trials === 1 ? "One trial" : countOf(trials, "trial")}: a test needs --trials ${needed}.`];
  }
  return [
    counts,
    ...(worse.length === 0 ? [] : [`${first.target} lost fewer than ${nameAll(worse)}.`]),
    `The trials tell no difference between ${nameAll(alike)}.`,
  ];
}

/** Nothing where no trials tell a target from another. */
function compareRecoveries(ranking: Ranking): readonly string[] {
  const { first, others, worse } = ranking;
  if (worse.length === 0) return [];
  const times = [first, ...others].map(({ target, recovery }) => `${target} ${formatRecovery(median(recovery))}`);
  return [
    `Slowest recovery from a fault: ${times.join(", ")}${tellTrials(ranking)}.`,
    worse.length === others.length
      ? `${first.target} recovered first.`
      : `${first.target} recovered before ${nameAll(worse)}.`,
  ];
}
