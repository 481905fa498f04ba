import type { Environment, Result } from "../model/result.js";
import type { HeaderLine, RequestSpec, Scenario } from "../model/scenario.js";
import { groupBy } from "../stats/group-by.js";
import { isSameData } from "./compare-data.js";
import type { Difference } from "./compare-difference.js";

/** Part by which memory may differ on the same machine: a kernel keeps now more, now less of it for itself. */
const SAME_MEMORY = 0.05;

/** Headers that say who asks, not for what; they often change from run to run. */
const CREDENTIALS = new Set(["authorization", "cookie", "proxy-authorization"]);

/** Returns in what two runs differ as a whole: the machine, what was asked and how; never values that might be secret. */
export function compareRuns(a: Result, b: Result): readonly Difference[] {
  return [
    ...compareMachines(a.environment, b.environment),
    ...compareRequests(a.scenario.request, b.scenario.request),
    ...compareLoads(a.scenario, b.scenario),
    ...differ("OTHER_SOFTWARE", "note", "kernel", a.environment.kernel, b.environment.kernel),
    ...differ("OTHER_SOFTWARE", "note", "node", a.environment.node, b.environment.node),
    ...differ("OTHER_SOFTWARE", "note", a.tool.name, a.tool.version, b.tool.version),
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

/** One difference, if there is one. */
export function differ(
  code: Difference["code"],
  effect: Difference["effect"],
  what: string,
  a: string | number | boolean,
  b: string | number | boolean,
): readonly Difference[] {
  return a === b ? [] : [{ code, effect, what, a, b }];
}

function compareMachines(a: Environment, b: Environment): readonly Difference[] {
  const isSameMemory = Math.abs(a.memoryBytes - b.memoryBytes) <= SAME_MEMORY * Math.max(a.memoryBytes, b.memoryBytes);
  return [
    ...differ("OTHER_MACHINE", "prevents", "cpuModel", a.cpuModel, b.cpuModel),
    ...differ("OTHER_MACHINE", "prevents", "cores", a.cores, b.cores),
    ...(isSameMemory ? [] : differ("OTHER_MACHINE", "prevents", "memoryBytes", a.memoryBytes, b.memoryBytes)),
    ...differ("OTHER_MACHINE", "prevents", "os", a.os, b.os),
  ];
}

/** The path is compared for each target, because one that is a URL has its own. */
function compareRequests(a: RequestSpec, b: RequestSpec): readonly Difference[] {
  const hidden = (what: string, isSame: boolean): readonly Difference[] =>
    isSame ? [] : [{ code: "OTHER_REQUEST", effect: "prevents", what }];
  return [
    ...differ("OTHER_REQUEST", "prevents", "method", a.method, b.method),
    ...compareHeaders(a.headers, b.headers),
    ...hidden("body", a.body === b.body && (a.body === null || a.bodyEncoding === b.bodyEncoding)),
    ...differ("OTHER_REQUEST", "prevents", "expectStatus", a.expectStatus, b.expectStatus),
    ...hidden("expectBody", a.expectBody === b.expectBody),
  ];
}

function compareHeaders(a: readonly HeaderLine[], b: readonly HeaderLine[]): readonly Difference[] {
  const [left, right] = [a, b].map((lines) => groupBy(lines, ([name]) => name.toLowerCase()));
  const names = new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])]);
  const values = (lines: readonly HeaderLine[] | undefined): readonly string[] =>
    (lines ?? []).map(([, value]) => value);
  return [...names]
    .filter((name) => !isSameData(values(left?.get(name)), values(right?.get(name))))
    .map((name) => ({
      code: "OTHER_REQUEST",
      effect: CREDENTIALS.has(name) && left?.has(name) && right?.has(name) ? "note" : "prevents",
      what: `header ${name}`,
    }));
}

function compareLoads(a: Scenario, b: Scenario): readonly Difference[] {
  return [
    ...differ("OTHER_LOAD", "prevents", "keepAlive", a.keepAlive, b.keepAlive),
    ...differ("OTHER_LOAD", "prevents", "warmupMs", a.warmupMs, b.warmupMs),
    ...(a.arrival === null || b.arrival === null
      ? []
      : [
          ...differ("OTHER_LOAD", "prevents", "arrival.spacing", a.arrival.spacing, b.arrival.spacing),
          ...differ("OTHER_LOAD", "prevents", "arrival.maxInFlight", a.arrival.maxInFlight, b.arrival.maxInFlight),
        ]),
    ...differ("OTHER_LOAD", "note", "timeoutMs", a.timeoutMs, b.timeoutMs),
    ...differ("OTHER_ENGINE", "prevents", "generators", a.engine.generators, b.engine.generators),
  ];
}
