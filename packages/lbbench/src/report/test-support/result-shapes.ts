import fc from "fast-check";
import { judgeResult } from "../../judge/judge-result.js";
import type { Measurement } from "../../model/measurement.js";
import type { Result, StepResult } from "../../model/result.js";
import type { Target } from "../../model/scenario.js";
import type { SearchOutcome } from "../../model/search.js";
import type { WorkerShare } from "../../model/usage.js";
import {
  aCrew,
  aFailedStep,
  aLatency,
  aMeasurement,
  anEnvironment,
  aProcessUsage,
  aRequest,
  aResult,
  aScenario,
  aStep,
  aUsage,
  aWorker,
} from "../../test-support/fixtures.js";
import { aBalancerRun } from "./balancer-results.js";
import { aFaultyResult } from "./fault-results.js";
import { aHeldResult } from "./hold-results.js";
import { aRampResult } from "./ramp-results.js";
import { aSweep, failed, withFailures, withFigures } from "./sample-results.js";

/** Names that mean something to spreadsheets, XML, JSON, JavaScript, terminals or parsers of lines. */
export const HOSTILE_NAMES: readonly string[] = [
  '=HYPERLINK("http://evil.test";"x")',
  "+1+1",
  "-2",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  "\n=1",
  "'=1",
  "＝1",
  'a "b", c',
  "two\nlines",
  "two\r\nlines",
  "a\rb",
  '\\n \\ \\"',
  "<img src=x onerror=alert(1)>]]>&amp;",
  "\u0007bell \u001b[31m \u2028 \u202e",
  "Complete requests:      7",
  "# EOF",
  "&amp;&#65;&#0;&#99999999999;&x; & &lt;",
  "__proto__",
  "constructor",
  " spaces ",
  "😀 é ﷽",
];

/** Any text that can be in a file: without halves of characters. */
export const anyName = fc.oneof(
  fc.constantFrom(...HOSTILE_NAMES),
  fc.string({ unit: "grapheme", minLength: 1 }),
  fc.string({ unit: "binary", minLength: 1 }),
);

const DRIVEN: Measurement = {
  startedAt: "2026-11-05T10:00:00.000Z",
  elapsedMs: 3000,
  connections: { asked: 50 },
  requests: { sent: 100, ok: 90, non2xx: 0, unclassified: 10 },
  statusCodes: {},
  errorCodes: {},
  throughput: 30,
  bytes: {},
  timeline: [],
  program: { name: "wrk", version: "4.1", command: ["wrk"], output: "Running 3s test" },
};

const SUMMARY = { min: 0, mean: 1.5, stddev: 0.5, median: 1.25, max: 7.5 };

/** The phases of {@link anOpenLoop}. */
export const PHASES = { connect: { ...SUMMARY, mean: 0.25 }, waiting: SUMMARY, processing: SUMMARY, total: SUMMARY };

const aPart = (p50: number) => aLatency({ min: 0, p50, p99: 2 * p50, p999: 3 * p50 });

/** What answers tell of {@link anOpenLoop}. */
const TOLD_TIMES = {
  told: 900,
  untold: 60,
  malformed: 30,
  negative: 4,
  generator: aPart(0.0625),
  backend: aPart(5.25),
  added: aPart(0.75),
  balancer: { queue: aPart(0.125), connect: aPart(0.25), total: aPart(5.5) },
};

/** Builds a result of two rates with all that the engine tells of them. */
export function anOpenLoop(): Result {
  const levels = [100, 1000].map((rate) => ({ rate, durationMs: 3000 }));
  const measurement = aMeasurement({
    phases: PHASES,
    serverTiming: TOLD_TIMES,
    failedLatency: aLatency(),
    requests: { timedOut: 3, inFlight: 2 },
    schedule: { rate: 100, planned: 3000, unsent: 40, lateness: { mean: 0.125, p99: 2.5, max: 9 } },
  });
  return aResult({
    scenario: aScenario({ levels }),
    steps: levels.map((level) => aStep({ level, measurement, engine: "wire" })),
  });
}

/** Builds the result of a search in which the target died beyond its limit. */
export function aSearch(outcome: Partial<SearchOutcome> = {}): Result {
  const found: SearchOutcome = {
    target: "single",
    by: "connections",
    status: "found",
    held: 50,
    broken: 100,
    tried: [
      { value: 50, decision: "held", held: 1, broken: 0, unclear: 0 },
      { value: 100, decision: "broken", held: 0, broken: 1, unclear: 0, because: "TARGET_DIED" },
    ],
    beyond: null,
    ...outcome,
  };
  const scenario = aScenario({
    levels: [{ connections: 50, durationMs: 3000 }],
    thresholds: [{ source: "errors<=0", metric: "errors", operator: "<=", value: 0 }],
    search: { by: "connections", start: 50, growth: 2, most: 1000, resolution: 0.05, needed: 1, beyond: 1.25 },
  });
  const steps = [
    aStep({ level: { connections: 50, durationMs: 3000 } }),
    aFailedStep({
      level: { connections: 100, durationMs: 3000 },
      findings: [{ code: "TARGET_DIED", severity: "error", args: { message: "exited with code 1" } }],
    }),
  ];
  const search = [found];
  return aResult({ scenario, steps, search, verdict: judgeResult({ scenario, steps, search }) });
}

/** Builds a result with a mix of two requests, one of them with a hostile name. */
function aMixedResult(): Result {
  const { request } = aScenario();
  const mix = ['=a "b"', "GET /"].map((name) => ({ name, weight: 1, request, bodies: null }));
  const share = mix.map(({ name }) => ({ name, sent: 10, ok: 9, failed: 1 }));
  return aResult({ scenario: aScenario({ mix }), steps: [aStep({ measurement: aMeasurement({ mix: share }) })] });
}

/** Builds a sweep whose load three workers on two machines sent, with two trials of each level. */
export function byWorkers(): Result {
  const share = (connections: number, index: number, trial: number): WorkerShare =>
    aWorker({
      name: `gen${index + 1}`,
      host: index === 0 ? "gen1" : "gen2",
      share: Math.floor((connections + 2 - index) / 3),
      sent: 300 + index,
      cpu: 0.3 * (index + 1),
      startSkewMs: index * 1.25 * trial,
    });
  const result = aSweep({
    targets: ["api"],
    connections: [50, 100],
    trials: 2,
    change: (step) => ({
      ...step,
      usage: aUsage({ generator: [], backends: [] }),
      workers: [0, 1, 2].map((index) => share(step.level.connections ?? 0, index, step.trial)),
    }),
  });
  const engine = { ...result.scenario.engine, workers: aCrew({ from: "ssh", hosts: ["gen1", "gen2", "gen2"] }) };
  return { ...result, scenario: { ...result.scenario, engine } };
}

/** Returns a result with the verdict that a run would leave. */
export function judged(result: Result): Result {
  return { ...result, verdict: judgeResult(result as Parameters<typeof judgeResult>[0]) };
}

/** Returns a judged result whose targets may be worse than the reference by this margin. */
export function withMargin(result: Result, margin: number): Result {
  return judged({ ...result, scenario: { ...result.scenario, margin } });
}

/**
 * Builds a matrix of requests and connections: `node` answers 1000 a second per connection, `go` twice as many, 200 bytes each; p50 is
 * a tenth of the connections in ms; the targets keep 75 and 175 % of a core busy.
 */
export function aMatrix(change = (step: StepResult): StepResult => step): Result {
  const levels = [100, 10_000].flatMap((requests) => [1, 50].map((connections) => ({ connections, requests })));
  const targets = ["node", "go"].map((name) => ({ name, server: "url", options: {} }));
  const steps = levels.flatMap((level) =>
    targets.map(({ name: target }, index) => {
      const { requests, connections } = level;
      const throughput = 1000 * connections * (index + 1);
      const measurement = aMeasurement({
        elapsedMs: (1000 * requests) / throughput,
        throughput,
        requests: { ok: requests },
        bytes: { received: requests * 200 },
        latency: aLatency({ p50: connections / 10, p99: connections * 2 }),
      });
      const backends = [aProcessUsage({ cpu: 0.5 }), aProcessUsage({ cpu: index })];
      const usage = aUsage({ balancer: [aProcessUsage({ cpu: 0.25 })], backends });
      return change(aStep({ target, level, measurement, usage }));
    }),
  );
  return aResult({ scenario: aScenario({ levels, targets }), steps });
}

/** The targets of a grid of two options. */
export const GRID: readonly string[] = [8, 16].flatMap((pool) =>
  ["block", "drop-head"].map((policy) => `pool pool=${pool} policy=${policy}`),
);

/** The place of one of {@link GRID}; of another target none. */
function gridPlaceOf(target: string): Target["gridPlace"] {
  const [name = "", ...words] = target.split(" ");
  if (words.length === 0) return undefined;
  const options = words.map((word) => word.split("=")).map(([option = "", value = ""]) => ({ option, value }));
  return { name, options };
}

/** Builds a sweep in which each target makes 1000 requests a second for its place in the list, a few more by trial and load. */
export function aGrid(targets: readonly string[] = GRID, trials = 1): Result {
  const sweep = aSweep({
    targets,
    trials,
    connections: [100, 200],
    change: (step) => {
      const throughput = 1000 * (targets.indexOf(step.target) + 1) + (step.level.connections ?? 0) / 100 + step.trial;
      return withFigures(step, { throughput });
    },
  });
  const placed = sweep.scenario.targets.map((target) => {
    const gridPlace = gridPlaceOf(target.name);
    return gridPlace === undefined ? target : { ...target, gridPlace };
  });
  return { ...sweep, scenario: { ...sweep.scenario, targets: placed } };
}

/** Builds a result with words of the caller's wherever words may come from outside, by the place at which they stand. */
export function withWords(word: (place: string) => string): Result {
  const [first, second] = [word("first"), word("second")];
  const sweep = aSweep({
    targets: [first, second],
    connections: [1, 50],
    trials: 2,
    change: (step) => {
      if (step.trial === 2 && step.target === first) {
        return { ...failed(step), error: { code: word("code"), message: word("message") } };
      }
      const backends = { [word("backend")]: { requests: 3 }, other: { requests: 1 } };
      const codes = { statusCodes: { [word("status")]: 3 }, errorCodes: { [word("error")]: 2 } };
      const workers = [aWorker({ name: word("worker"), host: word("host") })];
      return { ...withFigures(withFailures(step, 0.1), { ...codes, backends }), workers };
    },
  });
  return {
    ...sweep,
    tool: { name: word("tool"), version: word("version") },
    startedAt: word("time"),
    command: word("command"),
    environment: { ...anEnvironment(), cpuModel: word("cpu"), os: word("os"), node: word("node") },
    scenario: {
      ...sweep.scenario,
      name: word("name"),
      targets: [first, second].map((name) => ({ name, server: word("server"), options: { url: word("url") } })),
      reference: first,
      engine: { ...sweep.scenario.engine, workers: aCrew({ count: 1 }) },
      request: aRequest({ path: word("path"), headers: [[word("header"), word("value")]] }),
    },
    verdict: {
      status: "inconclusive",
      findings: [
        { code: "TARGET_DIED", severity: "error", args: { target: first, connections: 1, message: word("died") } },
        { code: word("unknown") as never, severity: "warning", args: { [word("key")]: word("argument") } },
      ],
    },
  };
}

/** Results of every kind that there is, by what they are. */
export const RESULT_SHAPES: ReadonlyMap<string, Result> = new Map([
  ["a sweep with trials", aSweep({ trials: 6, connections: [1, 50] })],
  ["a sweep whose requests fail", aSweep({ connections: [1, 50], change: (step) => withFailures(step, 1) })],
  ["a sweep in which some fail", aSweep({ change: (step) => withFailures(step, 0.1) })],
  ["a ramp", aRampResult({ durationMs: 20_000, users: 20 })],
  ["an open loop", anOpenLoop()],
  ["a search", aSearch()],
  ["a mix", aMixedResult()],
  ["load of workers", byWorkers()],
  ["a matrix", aMatrix()],
  ["a grid", aGrid()],
  ["a margin that is missed", withMargin(aSweep({ trials: 6, connections: [1, 250] }), 0.05)],
  ["a run that goes on", { ...aSweep({ connections: [1, 50] }), complete: false, finishedAt: null }],
  ["a driven program", aResult({ steps: [aStep({ measurement: DRIVEN })] })],
  ["names from outside", aSweep({ targets: HOSTILE_NAMES, connections: [1] })],
  ["failed and interrupted steps", aResult({ complete: false, steps: [aFailedStep(), interruptedStep()] })],
  ["faults", aFaultyResult()],
  ["balancers", aBalancerRun()],
  ["held connections", aHeldResult({ lost: 40 })],
  ["no steps", aResult({ steps: [], complete: false, finishedAt: null, command: null })],
]);

function interruptedStep(): Result["steps"][number] {
  return aStep({ state: "aborted", trial: 2, findings: [{ code: "INTERRUPTED", severity: "info", args: {} }] });
}
