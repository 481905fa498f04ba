import type { Environment, Result } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";
import { isSameData } from "./compare-data.js";
import { differ } from "./compare-difference.js";
import type { Difference } from "./compare-difference.js";
import { differIfTold, noteNotTold } from "./compare-told.js";
import { compareMixes } from "./compare-mixes.js";

/** Part by which memory may differ on the same machine: a kernel keeps now more, now less of it for itself. */
const SAME_MEMORY = 0.05;

/** Returns in what two runs differ as a whole: the machine, what was asked and how; never values that might be secret. */
export function compareRuns(a: Result, b: Result): readonly Difference[] {
  return [
    ...compareMachines(a.environment, b.environment),
    ...compareMixes(a.scenario, b.scenario),
    ...compareLoads(a.scenario, b.scenario),
    ...differIfTold("OTHER_SOFTWARE", "note", "kernel", a.environment?.kernel ?? null, b.environment?.kernel ?? null),
    ...differIfTold("OTHER_SOFTWARE", "note", "node", a.environment?.node ?? null, b.environment?.node ?? null),
    ...differ("OTHER_SOFTWARE", "note", a.tool.name, a.tool.version, b.tool.version),
    ...noteNotTold(a, b),
    ...[
      { run: a, side: "A" },
      { run: b, side: "B" },
    ].flatMap(({ run, side }): readonly Difference[] =>
      run.complete ? [] : [{ code: "NOT_COMPLETE", effect: "note", what: side }],
    ),
    ...(a.startedAt === b.startedAt && isSameData(a.steps, b.steps)
      ? [{ code: "SAME_RUN", effect: "note" } as const]
      : []),
  ];
}

function compareMachines(a: Environment | null, b: Environment | null): readonly Difference[] {
  if (a === null || b === null) return [];
  const isSameMemory = Math.abs(a.memoryBytes - b.memoryBytes) <= SAME_MEMORY * Math.max(a.memoryBytes, b.memoryBytes);
  return [
    ...differ("OTHER_MACHINE", "prevents", "cpuModel", a.cpuModel, b.cpuModel),
    ...differ("OTHER_MACHINE", "prevents", "cores", a.cores, b.cores),
    ...(isSameMemory ? [] : differ("OTHER_MACHINE", "prevents", "memoryBytes", a.memoryBytes, b.memoryBytes)),
    ...differ("OTHER_MACHINE", "prevents", "os", a.os, b.os),
  ];
}

function compareLoads(a: ToldScenario, b: ToldScenario): readonly Difference[] {
  return [
    ...differIfTold("OTHER_LOAD", "prevents", "keepAlive", a.keepAlive, b.keepAlive),
    ...differIfTold("OTHER_LOAD", "prevents", "warmupMs", a.warmupMs, b.warmupMs),
    ...(a.arrival === null || b.arrival === null
      ? []
      : [
          ...differ("OTHER_LOAD", "prevents", "arrival.spacing", a.arrival.spacing, b.arrival.spacing),
          ...differ("OTHER_LOAD", "prevents", "arrival.maxInFlight", a.arrival.maxInFlight, b.arrival.maxInFlight),
        ]),
    ...compareRamps(a.ramp, b.ramp),
    ...differIfTold("OTHER_LOAD", "note", "timeoutMs", a.timeoutMs, b.timeoutMs),
    ...differIfTold("OTHER_ENGINE", "prevents", "generators", a.engine.generators, b.engine.generators),
  ];
}

function compareRamps(a: ToldScenario["ramp"], b: ToldScenario["ramp"]): readonly Difference[] {
  if (a === null || b === null) {
    return differ("OTHER_LOAD", "prevents", "ramp", a === null ? "none" : "some", b === null ? "none" : "some");
  }
  return [
    ...differ("OTHER_LOAD", "prevents", "ramp.from", a.from, b.from),
    ...differ("OTHER_LOAD", "prevents", "ramp.riseMs", a.riseMs, b.riseMs),
    ...differ("OTHER_LOAD", "prevents", "ramp.steps", a.steps ?? "even", b.steps ?? "even"),
  ];
}
