import {
  commonestBottleneck,
  type ProcessFigures,
  MINIMUM_WINDOW_MS,
  type StepUsage,
  usageOf,
} from "../judge/bottleneck.js";
import type { Level } from "../model/level.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import type { Role } from "../model/usage.js";
import { measuredSteps } from "../judge/metrics.js";
import { medianIfAny, sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { placeKey } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import { type RampSecond, rampSeconds } from "../stats/ramp-seconds.js";
import { expectedStatus, failedRequests, finishedRequests, REFUSAL_STATUSES } from "../stats/request-counts.js";
import { formatCount } from "../stats/format-number.js";

/** One target at one level, with all its trials: a row of a table, a point of a chart. */
export interface Cell {
  readonly target: string;
  readonly level: Level;
  readonly steps: readonly StepResult[];
  /** The steps behind the figures: completed ones, or if none was completed the others with a measurement. */
  readonly measured: readonly StepResult[];
  readonly measurements: readonly Measurement[];
  readonly usages: readonly StepUsage[];
  readonly cutShort: boolean;
}

/** Groups the steps of a result by target and level, in the order of the scenario, or of a search by load; there is no cell without a step. */
export function collectCells({ scenario, steps }: Result): readonly Cell[] {
  const byCell = groupBy(steps, placeKey);
  const planned = scenario.targets.flatMap(({ name }) =>
    scenario.levels.map((level) => placeKey({ target: name, level })),
  );
  const cells = [...new Set([...planned, ...byCell.keys()])].flatMap((key) => {
    const [first, ...others] = byCell.get(key) ?? [];
    return first === undefined ? [] : [createCell(first, others)];
  });
  if (scenario.search === null) return cells;
  // A search jumps from level to level; a table reads better from the lowest to the highest.
  const rising = (ofTarget: readonly Cell[]): readonly Cell[] =>
    ofTarget.toSorted((a, b) => loadValue(a.level) - loadValue(b.level));
  return [...cellsByTarget(cells).values()].flatMap(rising);
}

/** Groups cells by target, in order of first appearance. */
export function cellsByTarget(cells: readonly Cell[]): ReadonlyMap<string, readonly Cell[]> {
  return groupBy(cells, ({ target }) => target);
}

/** Adds something up over all measurements of a cell. */
export function totalOf({ measurements }: Cell, of: (measurement: Measurement) => number): number {
  return sumOf(measurements, of);
}

/** Requests of a cell that failed: everything sent that was neither `ok` nor in flight. */
export function countFailed(cell: Cell): number {
  return totalOf(cell, ({ requests }) => failedRequests(requests));
}

/** Requests of a cell that came to an end: what a share of failed requests is a share of. */
export function countFinished(cell: Cell): number {
  return totalOf(cell, ({ requests }) => finishedRequests(requests));
}

function createCell(first: StepResult, others: readonly StepResult[]): Cell {
  const steps = [first, ...others].toSorted((a, b) => a.trial - b.trial);
  const measured = measuredSteps(steps);
  return {
    target: first.target,
    level: first.level,
    steps,
    measured,
    measurements: measured.flatMap(({ measurement }) => measurement ?? []),
    usages: measured.flatMap((step) => usageOf(step) ?? []),
    cutShort: measured.some(({ state }) => state !== "completed"),
  };
}

/** Returns the median of a latency figure over the trials of a cell, in ms, or `null` where nothing was ok. */
export function medianLatency({ measurements }: Cell, key: keyof LatencySummary): number | null {
  return medianIfAny(measurements.flatMap(({ latency }) => latency?.[key] ?? [])) ?? null;
}

/** Names what limited a cell's throughput: `backend`, or `backend, 5 of 6` where not all trials say so; empty where none does. */
export function describeBottleneck({ usages }: Cell): string {
  const most = commonestBottleneck(usages) ?? [];
  const [name = ""] = most;
  return most.length === usages.length ? name : name && `${name}, ${most.length} of ${usages.length}`;
}

/** The parts processes play, in the order in which reports list them. */
export const ROLES: readonly { readonly role: Role; readonly label: string }[] = [
  { role: "generator", label: "generator" },
  { role: "balancer", label: "balancer" },
  { role: "backend", label: "backends" },
];

/** Returns the processes of a role; none where there are none, or none that can be seen. */
export function processesOf(usage: StepUsage, role: Role): readonly ProcessFigures[] {
  return usage[role === "backend" ? "backends" : role] ?? [];
}

function sumOfRole(usage: StepUsage, role: Role, of: (process: ProcessFigures) => number): number | null {
  const processes = processesOf(usage, role);
  return processes.length === 0 ? null : sumOf(processes, of);
}

/** Processor time of a role, 1 is one core kept busy; `null` without a process that can be seen, and of a window too short to count ticks. */
export function cpuOf(usage: StepUsage, role: Role): number | null {
  return isTooShort(usage) ? null : sumOfRole(usage, role, ({ cpu }) => cpu);
}

/** What is said where {@link cpuOf} has no figure for want of time. */
export const CPU_OF_SHORT_STEPS = `The processor time of a step under ${MINIMUM_WINDOW_MS} ms is not known: the system counts it in ticks of 10 ms.`;

/** Whether usage is of so short a time that processor time, which is counted in ticks of about 10 ms, means nothing. */
export function isTooShort({ windowMs }: StepUsage): boolean {
  return windowMs < MINIMUM_WINDOW_MS;
}

/** Adds up the largest memory of the processes of a role, in bytes; `null` when it has none that can be seen. */
export function memoryOf(usage: StepUsage, role: Role): number | null {
  return sumOfRole(usage, role, ({ rssBytes }) => rssBytes);
}

/** The utilisation of the busiest event loop of a role, 0 to 1; `null` when none of its processes can tell. */
export function loopOf(usage: StepUsage, role: Role): number | null {
  const loops = processesOf(usage, role).flatMap(({ eventLoopUtilization }) => eventLoopUtilization ?? []);
  return loops.length === 0 ? null : Math.max(...loops);
}

/** Returns how many answers had which status, by its number, or with gRPC its name; of all levels and trials. */
export function statusCounts(cells: readonly Cell[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { statusCodes } of cells.flatMap(({ measurements }) => measurements)) {
    for (const [code, count] of Object.entries(statusCodes)) counts.set(code, (counts.get(code) ?? 0) + count);
  }
  return new Map([...counts].toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Whether any answer had another status than 2xx, or with gRPC than OK. */
export function hasOtherStatuses(cells: readonly Cell[]): boolean {
  return [...statusCounts(cells).keys()].some((code) => !/^(2\d\d|OK)$/.test(code));
}

/** Says which statuses a target answered with, a line for each that did not always answer with 2xx; plain text. */
export function describeStatuses(all: readonly Cell[]): readonly string[] {
  return [...cellsByTarget(all)].flatMap(([target, cells]) => {
    const counts = [...statusCounts(cells)].map(([code, count]) => `${code} (${formatCount(count)})`);
    return hasOtherStatuses(cells) ? [`${target} answered with status ${counts.join(", ")}.`] : [];
  });
}

/** What of a scenario says which statuses are expected. */
export type Expectations = Pick<ToldScenario, "request" | "mix">;

/** How many requests were answered with a status that refuses and is not expected. */
export function countRefused({ requests, statusCodes }: Measurement, scenario: Expectations): number {
  const refused = sumOf(Object.entries(statusCodes), ([status, count]) => (isRefusal(status, scenario) ? count : 0));
  return Math.min(refused, requests.non2xx);
}

/** Returns the statuses by which requests of some measurements were refused, each once, sorted. */
export function refusalStatuses(measurements: readonly Measurement[], scenario: Expectations): readonly string[] {
  const statuses = measurements.flatMap(({ statusCodes }) => Object.keys(statusCodes));
  return [...new Set(statuses.filter((status) => isRefusal(status, scenario)))].toSorted();
}

function isRefusal(status: string, { request, mix }: Expectations): boolean {
  const requests = mix?.map((entry) => entry.request) ?? (request === null ? [] : [request]);
  return REFUSAL_STATUSES.has(status) && !requests.some(({ expectStatus }) => expectedStatus(expectStatus)(status));
}

/** The ramp of one target, with all its trials. */
export interface TargetRamp {
  readonly cell: Cell;
  /** Of every figure the median over the trials; empty without a measurement. */
  readonly seconds: readonly RampSecond[];
}

/** Returns the ramps of a result, target by target; none where its load does not rise. */
export function collectRamps(result: Result): readonly TargetRamp[] {
  const { ramp } = result.scenario;
  if (ramp === null) return [];
  return collectCells(result).map((cell) => ({
    cell,
    seconds: rampSeconds(cell.measurements, loadValue(cell.level), ramp),
  }));
}
