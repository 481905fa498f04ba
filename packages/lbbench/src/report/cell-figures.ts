import { knownBottleneck } from "../judge/bottleneck.js";
import type { LatencySummary, Measurement } from "../model/measurement.js";
import type { Bottleneck, Role, Usage } from "../model/usage.js";
import { median } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { findOutliers } from "../stats/bootstrap.js";
import type { Cell } from "./cells.js";
import { cpuOf, loopOf, memoryOf } from "./role-usage.js";

/** Returns the median of a figure over the trials of a cell, or `null` where no measurement has it. */
export function medianOf(cell: Cell, figure: (measurement: Measurement) => number | undefined): number | null {
  return medianOrNull(valuesOf(cell, figure));
}

/** Returns a figure of every trial of a cell that has it. */
export function valuesOf(
  { measurements }: Cell,
  figure: (measurement: Measurement) => number | undefined,
): readonly number[] {
  return measurements.flatMap((measurement) => figure(measurement) ?? []);
}

/** A trial that lies far from the others in some figure. */
export interface Outlier {
  readonly trial: number;
  readonly value: number;
}

/** Returns the trials of a cell that lie far from the others in a figure, by `findOutliers`. */
export function outliersOf(
  { measurements, trials }: Cell,
  figure: (measurement: Measurement) => number | undefined,
): readonly Outlier[] {
  const found = measurements.flatMap((measurement, index) => {
    const value = figure(measurement);
    return value === undefined ? [] : [{ trial: trials[index] ?? index + 1, value }];
  });
  return findOutliers(found.map(({ value }) => value)).flatMap((index) => found[index] ?? []);
}

/** Returns the median of a latency figure over the trials of a cell, in ms, or `null` where nothing was ok. */
export function medianLatency(cell: Cell, key: keyof LatencySummary): number | null {
  return medianOf(cell, ({ latency }) => latency?.[key]);
}

/** Returns the median processor time of a role over the trials of a cell (1 is one core), or `null` where unseen. */
export function medianCpu(cell: Cell, role: Role): number | null {
  return medianUsage(cell, role, cpuOf);
}

/** Returns the median utilisation of the busiest event loop of a role over the trials of a cell, or `null` where unseen. */
export function medianLoop(cell: Cell, role: Role): number | null {
  return medianUsage(cell, role, loopOf);
}

/** Returns the median memory of a role over the trials of a cell, in bytes, or `null` where unseen. */
export function medianMemory(cell: Cell, role: Role): number | null {
  return medianUsage(cell, role, memoryOf);
}

/** Returns what limited a cell's throughput in most of its trials; `undefined` where that is known of none. */
export function bottleneckOf({ usages }: Cell): Bottleneck | undefined {
  return mostFrequent(usages.flatMap(knownBottleneck))?.[0];
}

/** Names what limited a cell's throughput: `backend`, or `backend, 5 of 6` where not all trials say so; empty where none does. */
export function describeBottleneck({ usages }: Cell): string {
  const most = mostFrequent(usages.flatMap(knownBottleneck)) ?? [];
  const [name = ""] = most;
  return most.length === usages.length ? name : name && `${name}, ${most.length} of ${usages.length}`;
}

/** Of as many one that names a part comes before `none`. */
function mostFrequent(names: readonly Bottleneck[]): readonly Bottleneck[] | undefined {
  const groups = [...groupBy(names, (name) => name).values()];
  return groups.toSorted((a, b) => b.length - a.length || Number(a[0] === "none") - Number(b[0] === "none"))[0];
}

function medianUsage({ usages }: Cell, role: Role, figure: (usage: Usage, role: Role) => number | null): number | null {
  return medianOrNull(usages.flatMap((usage) => figure(usage, role) ?? []));
}

function medianOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : median(values);
}
