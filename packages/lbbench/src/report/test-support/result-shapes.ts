import fc from "fast-check";
import { judgeResult } from "../../judge/judge-result.js";
import type { Measurement } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import type { SearchOutcome } from "../../model/search.js";
import { aFailedStep, aLatency, aMeasurement, aResult, aScenario, aStep } from "../../test-support/fixtures.js";
import { aRampResult } from "./ramp-results.js";
import { aSweep, withFailures } from "./sample-results.js";

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

/** Builds a result of two rates with all that the engine tells of them. */
export function anOpenLoop(): Result {
  const levels = [100, 1000].map((rate) => ({ rate, durationMs: 3000 }));
  const measurement = aMeasurement({
    phases: PHASES,
    failedLatency: aLatency(),
    requests: { timedOut: 3, inFlight: 2 },
    schedule: { rate: 100, planned: 3000, unsent: 40, lateness: { mean: 0.125, p99: 2.5, max: 9 } },
  });
  return aResult({
    scenario: aScenario({ levels }),
    steps: levels.map((level) => aStep({ level, measurement, engine: "undici" })),
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
    search: { by: "connections", start: 50, growth: 2, most: 1000, resolution: 0.05, needed: 1, beyond: null },
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

/** Results of every kind that there is, by what they are. */
export const RESULT_SHAPES: ReadonlyMap<string, Result> = new Map([
  ["a sweep with trials", aSweep({ trials: 6, connections: [1, 50] })],
  ["a sweep whose requests fail", aSweep({ change: (step) => withFailures(step, 1) })],
  ["a sweep in which some fail", aSweep({ change: (step) => withFailures(step, 0.1) })],
  ["a ramp", aRampResult({ durationMs: 20_000, users: 20 })],
  ["an open loop", anOpenLoop()],
  ["a search", aSearch()],
  ["a mix", aMixedResult()],
  ["a driven program", aResult({ steps: [aStep({ measurement: DRIVEN })] })],
  ["names from outside", aSweep({ targets: HOSTILE_NAMES, connections: [1, 50] })],
  ["failed and interrupted steps", aResult({ complete: false, steps: [aFailedStep(), interruptedStep()] })],
  ["no steps", aResult({ steps: [], complete: false, finishedAt: null, command: null })],
]);

function interruptedStep(): Result["steps"][number] {
  return aStep({ state: "aborted", trial: 2, findings: [{ code: "INTERRUPTED", severity: "info", args: {} }] });
}
