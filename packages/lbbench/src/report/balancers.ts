/** Balancers side by side: a row for each target that balances, with figures of levels that compare. */
import { usageOf } from "../judge/bottleneck.js";
import { faultResponses } from "../judge/fault-response.js";
import type { Level } from "../model/level.js";
import type { Result, StepResult } from "../model/result.js";
import type { Target } from "../model/scenario.js";
import { backendGroups, isInFront } from "../stats/backend-shares.js";
import { defined } from "../stats/defined.js";
import { sum, sumOf } from "../stats/descriptive.js";
import { formatCount, formatPercent, formatTenths, formatTime } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { isOpenLoop, loadOf, loadValue } from "../stats/load.js";
import { sumShares } from "./backend-shares.js";
import { type Cell, countFailed, countFinished, isTooShort, medianLatency, processesOf } from "./cells.js";
import { describeLoads, formatLoad, loadWords } from "./describe-level.js";
import { type Block, createTable, nameColumn } from "./document/block.js";
import { markDoubtful } from "./doubtful-figures.js";
import { shownFigure, throughputOf } from "./figures.js";
import { capitalize } from "./plain-line.js";
import { knownFigures, reportColumns, type RowFigure, type SpreadFigure, writeSpread } from "./figure-columns.js";

/** One balancer, and the levels at which it is compared. */
export interface BalancerRow {
  readonly target: Target;
  readonly cells: readonly Cell[];
  /** The level with the most ok requests/s among those that keep to the common p99; absent if none does. In a run of one level it is that one. */
  readonly atLimit?: Cell;
  /** The level nearest to half of its most ok requests/s. */
  readonly atHalf?: Cell;
  /** The highest level of connections, or users, that all balancers have. */
  readonly atMost?: Cell;
}

type BalancerFigure = RowFigure<BalancerRow>;

/** The rows, and the columns of which some row tells anything. */
export interface Balancers {
  readonly rows: readonly BalancerRow[];
  readonly figures: readonly BalancerFigure[];
}

/** Part of the requests of a level that may fail: more of them are not the load that is compared. */
const MOST_FAILED = 0.01;

const NONE: Balancers = { rows: [], figures: [] };

/** Returns the balancers of a run that has several; none of other runs, and of comparisons of policies, which have their own table. */
export function collectBalancers({ scenario }: Result, cells: readonly Cell[]): Balancers {
  const balancers = scenario.targets.filter(({ options }) => backendGroups(options["backends"]).length > 0);
  if (balancers.length < 2 || scenario.policies !== undefined) return NONE;
  const own = balancers.map((target) => ({ target, cells: cells.filter((cell) => cell.target === target.name) }));
  // Faults make levels that do not compare, and so does load that changes.
  const isSteady = (scenario.faults ?? []).length === 0 && scenario.ramp === null;
  const isChoice = new Set(own.flatMap((row) => row.cells.map(({ level }) => loadValue(level)))).size > 1;
  const limit = isSteady && isChoice ? commonLimit(own.map((row) => row.cells)) : undefined;
  const most = highestCommon(own.map((row) => row.cells));
  const rows = own.map((row): BalancerRow => {
    const told = isSteady ? row.cells.filter(isSound) : [];
    const within = told.filter((cell) => (medianLatency(cell, "p99") ?? Infinity) <= (limit?.ms ?? Infinity));
    const half = throughputOf(mostOf(told)) / 2;
    const distance = (cell: Cell): number => Math.abs(Math.log(throughputOf(cell) / half));
    return {
      ...row,
      ...defined({
        atLimit: mostOf(within),
        atHalf: told.toSorted((a, b) => distance(a) - distance(b))[0],
        atMost: row.cells.find(({ level }) => !isOpenLoop(loadOf(level).kind) && loadValue(level) === most),
      }),
    };
  });
  const figures = knownFigures(figuresAt(limit, rows), rows);
  return figures.length === 0 ? NONE : { rows, figures };
}

function isSound(cell: Cell): boolean {
  return throughputOf(cell) > 0 && countFailed(cell) <= countFinished(cell) * MOST_FAILED;
}

function mostOf(cells: readonly Cell[]): Cell | undefined {
  return cells.toSorted((a, b) => throughputOf(b) - throughputOf(a))[0];
}

/** The p99 that balancers are compared at, in ms, and why that. */
type Limit = ReturnType<typeof commonLimit>;

/**
 * The smallest p99 that a balancer has at its most ok requests/s: that one is at its best there, and the others are asked for no more. Where
 * others keep to it at no level, the smallest that all keep to.
 */
function commonLimit(balancers: readonly (readonly Cell[])[]) {
  const sound = balancers.map((cells) => cells.filter(isSound)).filter((cells) => cells.length > 0);
  if (sound.length === 0) return undefined;
  const p99 = (cell: Cell | undefined): number => (cell && medianLatency(cell, "p99")) ?? Infinity;
  const atBest = Math.min(...sound.map((cells) => p99(mostOf(cells))));
  const keptByAll = Math.max(...sound.map((cells) => Math.min(...cells.map(p99))));
  return atBest >= keptByAll
    ? { ms: atBest, why: "the lowest p99 that one of them has at its own most" }
    : { ms: keptByAll, why: "the lowest p99 that all of them keep to at a level" };
}

/** The highest value of a level at which the processes of all balancers were seen. */
function highestCommon(balancers: readonly (readonly Cell[])[]): number {
  const [first = [], ...others] = balancers.map((cells) =>
    cells.filter(({ usages }) => usages.length > 0).map(({ level }) => loadValue(level)),
  );
  return Math.max(...first.filter((value) => others.every((values) => values.includes(value))));
}

/** @param levels at which the balancers have it */
function fastest({ ms, why }: NonNullable<Limit>, levels: readonly Level[]): BalancerFigure {
  const p99 = `p99 up to ${formatTime(ms)} ms`;
  const at = levels.length > 1 ? `; at so many ${loadWords(levels).many}` : "";
  return {
    head: `Requests/s, ${p99}`,
    short: `req/s, ${p99}`,
    title: `requests/s: the most ok ones of its levels with ${p99}, ${why}${at}`,
    of: ({ atLimit }) => {
      const figure = summarizeAt(atLimit, "throughput_per_s");
      if (atLimit === undefined || at === "") return figure;
      return { ...figure, text: `${figure.text} at ${formatLoad(atLimit.level)}` };
    },
  };
}

function figuresAt(limit: Limit, rows: readonly BalancerRow[]): readonly BalancerFigure[] {
  const { level } = rows.flatMap(({ atMost }) => atMost ?? [])[0] ?? {};
  const atLimit = rows.flatMap((row) => row.atLimit?.level ?? []);
  const levels = [...new Map(atLimit.map((one) => [loadValue(one), one])).values()];
  const load = level === undefined ? "" : `${formatCount(loadValue(level))} ${loadWords([level]).many}`;
  const added = (key: "p50" | "p99"): BalancerFigure => {
    return {
      head: `Added, ${key} (ms)`,
      short: `+${key} ms`,
      title: "added: beside the time of the backend, at the level nearest to half of its most requests/s",
      of: ({ atHalf }) => summarizeAt(atHalf, `timing_added_${key}_ms`),
    };
  };
  return [
    ...(limit === undefined ? [] : [fastest(limit, levels)]),
    {
      head: "CPU a request (µs)",
      short: "cpu µs/req",
      title: `CPU a request: processor time of the balancer by ok requests, at ${levels.length > 1 ? "the same level" : describeLoads(levels)}`,
      of: ({ atLimit, target }) => {
        const costs = valuesOf(atLimit, (step) => costUs(step, target));
        // Less than the 10 ms in which processor time is counted is not none.
        const counted = costs.filter((cost) => cost > 0);
        return writeSpread(2 * counted.length > costs.length ? costs : [], formatTime);
      },
    },
    added("p50"),
    added("p99"),
    {
      head: `Memory at ${load} (MB)`,
      short: "memory MB",
      title: `memory: the most that the processes of the balancer had at ${load}, added up`,
      of: ({ atMost, target }) => {
        const bytes = valuesOf(atMost, (step) => usedBy(step, target, ({ rssBytes }) => rssBytes));
        return writeSpread(
          bytes.map((one) => one / 1e6),
          formatTime,
        );
      },
    },
    {
      head: "Lost at faults",
      short: "lost",
      title: "lost at faults: requests that failed after the faults, of all levels of a trial",
      of: ({ cells }) => writeSpread(lostOf(cells), formatTenths),
    },
    {
      head: "Shares (%)",
      short: "shares %",
      title: "shares: the least and the most that a backend got of all requests",
      of: ({ cells }) => sharesOf(cells),
    },
  ];
}

/** A figure of a level, with its mark where a finding bounds it. */
function summarizeAt(cell: Cell | undefined, key: string): SpreadFigure {
  const { values, format } = shownFigure(key);
  const { text, ...more } = writeSpread(cell === undefined ? [] : values(cell), format);
  return { text: cell === undefined || text === "" ? "" : markDoubtful(text, cell, key), ...more };
}

function valuesOf(cell: Cell | undefined, of: (step: StepResult) => number | undefined): readonly number[] {
  return (cell?.measured ?? []).flatMap((step) => of(step) ?? []);
}

/** What the processes of the balancer used, without those of backends that balance themselves; absent where none was seen. */
function usedBy(step: StepResult, target: Target, of: (process: { cpu: number; rssBytes: number }) => number) {
  const usage = usageOf(step);
  const own = usage === undefined ? [] : processesOf(usage, "balancer").filter(({ name }) => isInFront(target, name));
  return own.length === 0 ? undefined : sumOf(own, of);
}

/** Processor time a request, in µs. */
function costUs(step: StepResult, target: Target): number | undefined {
  const usage = usageOf(step);
  const { throughput: perSecond = 0 } = step.measurement ?? {};
  if (usage === undefined || isTooShort(usage) || perSecond === 0) return undefined;
  const cores = usedBy(step, target, ({ cpu }) => cpu);
  return cores === undefined ? undefined : (cores / perSecond) * 1e6;
}

/** Requests that each trial lost to faults; nothing where one of them could not be done. */
function lostOf(cells: readonly Cell[]): readonly number[] {
  const steps = cells.flatMap(({ measured }) => measured.filter(({ faults }) => faults !== undefined));
  return [...groupBy(steps, ({ trial }) => String(trial)).values()].flatMap((ofTrial) => {
    if (ofTrial.some(({ faults = [] }) => faults.some(({ effectMs }) => effectMs === null))) return [];
    return sumOf(ofTrial.flatMap(faultResponses), ({ lost }) => lost);
  });
}

function sharesOf(cells: readonly Cell[]): SpreadFigure {
  const requests = sumShares(cells).map((share) => share.requests);
  const total = sum(requests);
  if (requests.length < 2 || total === 0) return { text: "" };
  const [least, most] = [Math.min(...requests) / total, Math.max(...requests) / total];
  const [from, to] = [formatPercent(least), formatPercent(most)];
  return { text: from === to ? from : `${from} to ${to}`, value: most - least };
}

/** A row for each balancer, with what its columns mean; nothing where fewer than two are compared. */
export function balancerTable({ rows, figures }: Balancers): readonly Block[] {
  if (rows.length === 0) return [];
  const name = nameColumn<BalancerRow>("Balancer", ({ target }) => target.name);
  const meanings = [...new Set(figures.map(({ title }) => `${capitalize(title)}.`))];
  const lead = ["Balancers side by side.", ...meanings].join(" ");
  return [createTable({ caption: "Balancers", lead }, [name, ...reportColumns(figures)], rows)];
}
