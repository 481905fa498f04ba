import { expect, it } from "vitest";
import { parseThreshold } from "../config/parsers.js";
import type { FindingArgs, FindingCode, Severity } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { aFailedStep, aLatency, aMeasurement, aStep, type MeasurementOverrides } from "../test-support/fixtures.js";
import { judgeTrial } from "./judge-trial.js";

type Found = readonly [FindingCode, Severity?, FindingArgs?];
const trial = (measurement: MeasurementOverrides, ...findings: readonly Found[]): StepResult =>
  aStep({
    measurement: aMeasurement(measurement),
    findings: findings.map(([code, severity = "warning", args = {}]) => ({ code, severity, args })),
  });

const SLOW: MeasurementOverrides = { latency: aLatency({ p99: 60 }) };
const SILENT: MeasurementOverrides = { requests: { ok: 0, inFlight: 50 } };
const held = { outcome: "held" };
const broken = (because: string, doubt?: string): object => ({
  outcome: "broken",
  because: because.split(" and "),
  ...(doubt === undefined ? {} : { doubt }),
});
const unclear = (because: string): object => ({ outcome: "unclear", because: [because] });

/** 1000 a second for 3 s; the first answers took 10 ms. */
const openLoop = (inFlight: number, unsent = 0, resets = 0): MeasurementOverrides => ({
  requests: { ok: 3000 - inFlight - resets, inFlight, resets },
  schedule: { rate: 1000, planned: 3000 + unsent, unsent, lateness: { mean: 0, p99: 0, max: 0 } },
  timeline: [{ second: 0, sent: 1000, ok: 990, failed: 0, p50: 10, p99: 20 }],
});
/** As many in flight at the end, for which the whole seconds say when they piled up. */
const seconds = (inFlight: number, open: readonly number[]): MeasurementOverrides => ({
  ...openLoop(inFlight),
  timeline: open.map((left, second) => ({ second, sent: 1000, ok: 1000 - left, failed: 0, p50: 10, p99: 20 })),
});
const untold = (non2xx: number): StepResult => {
  const { latency: _, ...measurement } = aMeasurement({ requests: { non2xx } });
  return aStep({ measurement });
};
const doubted = trial({ ...SLOW, requests: { dropped: 1 } }, ["MACHINE_SATURATED"]);
const startFailed = aFailedStep({ error: { code: "START_FAILED", message: "no such program" } });

it.each<readonly [string, StepResult, object]>([
  ["holds where every threshold is met", trial({}), held],
  ["is broken by requests that fail", trial({ requests: { non2xx: 1 } }), broken("errors<=0")],
  ["is decided by failed requests, whatever is doubtful about the latency", doubted, broken("errors<=0 and p99<50ms")],
  ["cannot be told where latency is not", untold(0), unclear("FIGURE_NOT_TOLD")],
  [
    "is broken where connections wait for longer than a latency that the others meet, in however short a step",
    trial({}, ["CONNECTIONS_STARVED"], ["TOO_SHORT"]),
    broken("CONNECTIONS_STARVED"),
  ],
  [
    "cannot be told where they wait in a step that is shorter than that",
    trial({ elapsedMs: 45 }, ["CONNECTIONS_STARVED"], ["TOO_SHORT"]),
    unclear("TOO_SHORT"),
  ],
  ["cannot be told of a step that was too short", trial({}, ["TOO_SHORT"]), unclear("TOO_SHORT")],
  [
    "is broken by a latency of a step that was too short, of which the slowest requests were cut off",
    trial(SLOW, ["TOO_SHORT", "warning", { cutOff: 1 }]),
    broken("p99<50ms"),
  ],
  ["holds a load that was met even by a saturated generator", trial({}, ["GENERATOR_SATURATED"]), held],
  ["cannot be told of less load than was asked for", trial({}, ["LEVEL_NOT_REACHED"]), unclear("LEVEL_NOT_REACHED")],
  ["is broken where nothing was answered", trial(SILENT, ["ALL_FAILED", "error"]), broken("errors<=0 and p99<50ms")],
  ["cannot be told of another failure", startFailed, unclear("STEP_FAILED")],
  ["of a rate holds while no more is in flight than the latency explains", trial(openLoop(69)), held],
  ["of a rate does not hold when requests pile up, although none fails", trial(openLoop(71)), broken("backlog")],
  ["of a rate counts what could not leave for what piled up", trial(openLoop(50, 50)), broken("backlog")],
  ["of a rate holds beside one pause at its end", trial(seconds(300, [0, 5, 295])), held],
  ["of a rate does not where they piled up before the end", trial(seconds(300, [100, 100, 100])), broken("backlog")],
  [
    "of a rate doubts that requests pile up beside a generator at its limit",
    trial(openLoop(50, 50), ["LEVEL_NOT_REACHED", "warning", { unsent: 50 }], ["GENERATOR_SATURATED"]),
    broken("backlog", "GENERATOR_SATURATED"),
  ],
  [
    "of a rate doubts failures of a generator at its limit",
    trial(openLoop(0, 0, 1), ["GENERATOR_SATURATED"]),
    broken("errors<=0", "GENERATOR_SATURATED"),
  ],
  ...(["GENERATOR_SATURATED", "MACHINE_SATURATED", "LEVEL_NOT_REACHED", "TOO_SHORT"] as const).map(
    (code) =>
      [`that misses a latency is doubtful beside ${code}`, trial(SLOW, [code]), broken("p99<50ms", code)] as const,
  ),
  ...(["REQUESTS_LOST", "LITTLES_LAW", "FD_LIMIT", "PORTS_EXHAUSTED"] as const).map((code) => {
    const step = trial({ requests: { connectErrors: 9 } }, [code, "error"]);
    return [`cannot be told when an error says ${code}, whatever was missed`, step, unclear(code)] as const;
  }),
])("a trial %s", (_, step, expected) => {
  expect(judgeTrial(step, ["errors<=0", "p99<50ms"].map(parseThreshold))).toEqual(expected);
});
