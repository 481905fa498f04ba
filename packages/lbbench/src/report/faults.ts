/** What the faults of a run did to its targets: a row for each fault, target and level, its figures, and what is said of them. */
import { type FaultResponse, faultResponses } from "../judge/fault-response.js";
import { readFigures } from "../judge/found.js";
import type { DoneFault, Fault } from "../model/fault.js";
import type { Finding } from "../model/finding.js";
import type { Result, StepResult } from "../model/result.js";
import { median } from "../stats/descriptive.js";
import { formatFault, formatLookedFor, formatRecovery, harms } from "../stats/faults.js";
import { formatCount, formatPercent, formatTenths, formatTime, countOf } from "../stats/format-number.js";
import { commonestFailures } from "../stats/request-counts.js";
import type { Cell } from "./cells.js";
import { formatLoad, loadWords } from "./describe-level.js";
import { type Block, createTable, loadColumn, nameColumn, paragraph, wordColumn } from "./document/block.js";
import { joinWords } from "./plain-line.js";
import { BRACKETS, knownFigures, reportColumns, type RowFigure, writeSpread } from "./figure-columns.js";
import { defined } from "../stats/defined.js";

/** A fault of a step beside the one that was asked for. */
export interface ToldFault {
  readonly asked: Fault;
  /** Absent where the step ended before. */
  readonly done?: DoneFault;
  /** Absent of a deed that ends a fault, that took no effect, or that took it at the same moment as the next. */
  readonly response?: FaultResponse;
}

/** Returns the faults of a scenario as they went in a step, in their order; none without faults. */
export function toldFaults(step: StepResult, asked: readonly Fault[] = step.faults ?? []): readonly ToldFault[] {
  const left = [...(step.faults ?? [])];
  const responses = faultResponses(step);
  return asked.map((fault) => {
    const at = left.findIndex(
      ({ atMs, kind, part }) => atMs === fault.atMs && kind === fault.kind && part === fault.part,
    );
    const [done] = at === -1 ? [] : left.splice(at, 1);
    const response = responses.find((one) => one.fault === done);
    return { asked: fault, ...defined({ done, response }) };
  });
}

/** A fault that harms, and what it did to a target at a level, over its trials. */
export interface FaultRow extends Pick<Cell, "target" | "level"> {
  /** `kill backend-2 at 3s`. */
  readonly fault: string;
  /** One for each trial in which it took effect. */
  readonly responses: readonly FaultResponse[];
  /** Trials in which it could not be done. */
  readonly undone: number;
}

/** Returns the rows of a result, by fault, in order of time, then by target; none without faults. */
export function collectFaults({ scenario }: Result, cells: readonly Cell[]): readonly FaultRow[] {
  const { faults = [], policies } = scenario;
  if (policies !== undefined) return [];
  const told = cells.map((cell) => cell.measured.map((step) => toldFaults(step, faults)));
  return faults.flatMap((fault, at) =>
    harms(fault)
      ? cells.map(({ target, level }, index): FaultRow => {
          const own = (told[index] ?? []).flatMap((faultsOfStep) => faultsOfStep[at] ?? []);
          return {
            target,
            level,
            fault: formatFault(fault),
            responses: own.flatMap(({ response }) => response ?? []),
            undone: own.filter(({ done }) => done?.effectMs === null).length,
          };
        })
      : [],
  );
}

type FaultFigure = RowFigure<FaultRow>;

const number =
  (of: (response: FaultResponse) => number | null, format: (value: number) => string): FaultFigure["of"] =>
  ({ responses }) => {
    const values = responses.flatMap((response) => of(response) ?? []);
    return writeSpread(values, format);
  };

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
    if (missed === 0) return writeSpread(known, formatRecovery);
    if (known.length === 0) return { text: never(row), tone: "bad" };
    const often = `${formatCount(missed)} of ${countOf(times.length, "trial")}`;
    return { text: `${writeSpread(known, formatRecovery).text}; never in ${often}`, value: median(known), tone: "bad" };
  };

/** The columns of the table of faults behind the names of a row, the most important first. */
const FAULT_FIGURES: readonly FaultFigure[] = [
  {
    head: "Lost",
    short: "lost",
    title: "requests that failed until the next fault of the table, or the end",
    of: (row) => {
      if (row.responses.length === 0 && row.undone > 0) return { text: "could not be done", tone: "bad" };
      return number(({ lost }) => lost, formatTenths)(row);
    },
  },
  {
    head: "How",
    short: "how",
    align: "left",
    title: "the commonest way in which requests failed",
    of: ({ responses }) => {
      const [first = "", ...others] = commonestFailures(responses.map(({ failures }) => failures));
      return { text: others.length === 0 ? first : `mostly ${first}` };
    },
  },
  {
    head: "Recovery",
    short: "recovery",
    title: "time until ok responses were within 5 % of before and at most 0.1 % failed, for good; known to 100 ms",
    of: moment(
      ({ recoveryMs }) => recoveryMs,
      ({ responses }) => `not ${formatLookedFor(median(responses.map(({ lookedMs }) => lookedMs)))}`,
    ),
  },
  {
    head: "p99 before (ms)",
    short: "p99 before",
    title: "p99 of ok responses before the first fault; at most 9 % too high",
    of: number(({ p99BeforeMs }) => p99BeforeMs, formatTime),
  },
  {
    head: "p99 during (ms)",
    short: "p99 ms",
    title: "p99 of ok responses until half a second after the recovery, for a second at least; at most 9 % too high",
    of: number(({ p99Ms }) => p99Ms, formatTime),
  },
  {
    head: "Slow",
    short: "slow",
    title: "ok responses that took over 100 ms longer than p99 did before",
    of: number(({ slow }) => slow, formatTenths),
  },
  {
    head: "Share during (%)",
    short: "share %",
    title: "part of the requests that the backend still got until it was whole again",
    of: number(({ shareDuring }) => shareDuring, formatPercent),
  },
  {
    head: "Share back after",
    short: "back",
    title: "time from when the backend was whole again until it had 80 % of its former share of the requests",
    of: moment(
      ({ shareBackMs }) => shareBackMs,
      () => "never",
    ),
  },
];

/** Returns the figures of faults of which some row tells anything. */
export function faultFigures(rows: readonly FaultRow[]): readonly FaultFigure[] {
  return knownFigures(FAULT_FIGURES, rows);
}

/** What each fault did to each target, a row for both; nothing without faults. */
export function faultTable(rows: readonly FaultRow[], targets: number): readonly Block[] {
  if (rows.length === 0) return [];
  const levels = rows.map(({ level }) => level);
  const lead = "What each fault did, counted until the next fault of this table, or the end:";
  const columns = [
    wordColumn<FaultRow>("Fault", ({ fault }) => fault),
    ...(targets > 1 ? [nameColumn<FaultRow>("Target", ({ target }) => target)] : []),
    ...(hasSeveralLoads(rows) ? [loadColumn(loadWords(levels).column)] : []),
    ...reportColumns(faultFigures(rows)),
  ];
  return [
    createTable({ caption: "Faults", lead }, columns, rows),
    ...(rows.some(({ responses }) => responses.length > 1) ? [paragraph(BRACKETS)] : []),
  ];
}

/** Whether rows are of several loads, so that a column has to tell them apart. */
export function hasSeveralLoads(rows: readonly FaultRow[]): boolean {
  return new Set(rows.map(({ level }) => formatLoad(level))).size > 1;
}

/** What the faults cost a target, as the finding `FAULTS_COMPARED` tells it. */
type Cost = ReturnType<typeof readCost>;

function readCost({ args }: Finding) {
  const seen = readFigures(args);
  // A recovery that is not told did not come.
  const { target = "?", lost = 0, sent = 0, recoveryMs = Infinity, trials = 1, trialsNeeded = 0 } = seen;
  return { ...seen, target, lost, sent, recoveryMs, trials, trialsNeeded };
}

/**
 * Says which target lost the fewest requests to the faults, where the trials tell it, and how many each lost; then which recovered first,
 * where they tell that; of a single target what the faults cost it. A line for what was lost, and one for recovery; plain text, names as they
 * came.
 *
 * @param conclusions the findings `FAULTS_COMPARED`, the fewest lost first
 */
export function describeLosses(conclusions: readonly Finding[]): readonly string[] {
  const all = conclusions.map(readCost);
  const compared = all.filter(({ undone }) => undone === undefined);
  const left = all.flatMap(({ target, undone }) =>
    undone === undefined || all.length === 1 ? [] : [`${target} is not compared: "${undone}" could not be done.`],
  );
  const alone = all.length === 1 ? all : compared.length < 2 ? compared : [];
  const costs = alone.map(
    (cost) => `${cost.target} lost ${tellLost(cost)} requests to the faults${tellTrials([cost], "median")}.`,
  );
  if (costs.length > 0 || compared.length < 2) return [...costs, ...left];
  return [compareLost(compared), ...compareRecoveries(compared), ...left];
}

/** `41 of 6,000`, `none of 6,000`. */
function tellLost({ lost, sent }: Cost): string {
  return `${lost === 0 ? "none" : formatTenths(lost)} of ${formatCount(sent)}`;
}

/** ` (medians of 6 trials)`, nothing of one. */
function tellTrials(costs: readonly Cost[], what = "medians"): string {
  const trials = Math.max(...costs.map((cost) => cost.trials));
  return trials === 1 ? "" : ` (${what} of ${countOf(trials, "trial")})`;
}

/** More targets with the same text are counted, not named. */
const MOST_NAMED = 4;

const nameAll = (those: readonly Cost[]): string => joinWords(those.map(({ target }) => target));

function compareLost(costs: readonly Cost[]): string {
  const [first = costs[0] as Cost, ...others] = costs;
  const of = tellTrials(costs);
  if (costs.every(({ lost }) => lost === 0)) {
    return costs.length > MOST_NAMED
      ? `None of the ${formatCount(costs.length)} targets lost a request to the faults${of}.`
      : `${nameAll(costs)} lost no request to the faults${of}.`;
  }
  const more = others.map(({ target, lost }) => `${target} ${formatTenths(lost)}`);
  const worse = others.filter(({ lostIs }) => lostIs === "more");
  if (worse.length === others.length) {
    const rest = `${more.length === 1 ? "The other lost more" : "The others lost more"}: ${more.join(", ")}${of}.`;
    return `${first.target} lost the fewest requests to the faults: ${tellLost(first)}. ${rest}`;
  }
  const counts = `Requests lost to the faults: ${first.target} ${formatTenths(first.lost)} of ${formatCount(first.sent)}, ${more.join(", ")}${of}.`;
  const { trials, trialsNeeded } = first;
  if (trials < trialsNeeded) {
    return `${counts} ${trials === 1 ? "One trial" : countOf(trials, "trial")}: a test needs --trials ${trialsNeeded}.`;
  }
  const alike = costs.filter((cost) => !worse.includes(cost));
  const fewer = worse.length === 0 ? "" : ` ${first.target} lost fewer than ${nameAll(worse)}.`;
  return `${counts}${fewer} The trials tell no difference between ${nameAll(alike)}.`;
}

/** Nothing where no trials tell a target from another. */
function compareRecoveries(costs: readonly Cost[]): readonly string[] {
  const later = costs.filter(({ recoveryIs }) => recoveryIs === "later");
  const first = costs.find(({ recoveryIs }) => recoveryIs === "first");
  if (first === undefined || later.length === 0) return [];
  const sorted = costs.toSorted((a, b) => (a.recoveryMs < b.recoveryMs ? -1 : Number(a.recoveryMs > b.recoveryMs)));
  const times = sorted.map(({ target, recoveryMs }) => `${target} ${formatRecovery(recoveryMs)}`);
  const isBest = later.length === costs.length - 1;
  const best = `${first.target} recovered ${isBest ? "first" : `before ${nameAll(later)}`}.`;
  return [`Slowest recovery from a fault: ${times.join(", ")}${tellTrials(costs)}. ${best}`];
}
