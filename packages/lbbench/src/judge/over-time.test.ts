import { describe, expect, it } from "vitest";
import type { FindingCode } from "../model/finding.js";
import type { TimelineSecond } from "../model/measurement.js";
import { seededRandom } from "../stats/seeded-random.js";
import { wholeSeconds } from "../stats/ramp-seconds.js";
import { addNoise, drawNormal, mostByChance } from "../stats/test-support/simulated-trials.js";
import { aMeasurement, anEnvironment, aScenario, aStep } from "../test-support/fixtures.js";
import { judgeStep } from "./judge-step.js";

const RUNS = 1000;

/** Codes that are found in a closed loop whose seconds are made of their numbers. */
function found(seconds: number, second: (at: number) => Partial<TimelineSecond>): readonly FindingCode[] {
  const timeline = Array.from({ length: seconds }, (_, at): TimelineSecond => {
    const ok = Math.round(second(at).ok ?? 5000);
    return { second: at, sent: ok, failed: 0, p50: 9, p99: 20, max: 31, ...second(at), ok };
  });
  const measurement = aMeasurement({ elapsedMs: seconds * 1000, requests: { ok: seconds * 5000 }, timeline });
  const step = aStep({ level: { connections: 50, durationMs: seconds * 1000 }, measurement });
  return judgeStep(step, aScenario(), anEnvironment()).map(({ code }) => code);
}

function share(code: FindingCode, make: (draw: () => number) => readonly FindingCode[]): number {
  const draw = seededRandom(15);
  return Array.from({ length: RUNS }, () => make(draw)).filter((codes) => codes.includes(code)).length;
}

describe.each([7, 11, 31, 61])("in %i seconds of a throughput that stays", (seconds) => {
  it.each([0.02, 0.1, 0.3])("a drift is found in at most one run of a hundred, with noise of %f", (noise) => {
    const drifting = share("DRIFT", (draw) => {
      const values = Array.from({ length: seconds }, () => Math.max(0, addNoise(draw, 5000, noise)));
      return found(seconds, (at) => ({ ok: values[at] as number }));
    });
    expect(drifting).toBeLessThanOrEqual(mostByChance(RUNS, 0.01));
  });

  it("no stall is found by the noise of the slowest answers, as of a machine whose host takes time away", () => {
    const stalling = share("STALLS", (draw) => {
      const maxima = Array.from({ length: seconds }, () => 60 * Math.exp(0.6 * drawNormal(draw)));
      const rates = Array.from({ length: seconds }, () => Math.max(0, addNoise(draw, 5000, 0.15)));
      return found(seconds, (at) => ({ max: maxima[at] as number, ok: rates[at] as number }));
    });
    expect(stalling).toBeLessThanOrEqual(mostByChance(RUNS, 0.01));
  });
});

it.each<[string, (at: number) => number]>([
  ["a target that warms up", (at) => 5000 * (1 - 0.6 * Math.exp(-at / 4))],
  ["a steady rise", (at) => 5000 + 150 * at],
  ["a fall at once", (at) => (at < 6 ? 5000 : 4000)],
])("a drift is found of %s, beside noise of 1 %%", (_, throughput) => {
  const seen = share("DRIFT", (draw) => {
    const values = Array.from({ length: 11 }, (__, at) => addNoise(draw, throughput(at), 0.01));
    return found(11, (at) => ({ ok: values[at] as number }));
  });
  expect(seen).toBeGreaterThan(0.9 * RUNS);
});

it("a second in which nothing happened counts, and one that was cut short does not", () => {
  const timeline = [0, 1, 3].map((second) => ({ second, sent: 9, ok: 9, failed: 0, p50: 1, p99: 1, max: 1 }));
  expect(wholeSeconds(aMeasurement({ elapsedMs: 4700, timeline })).map(({ ok }) => ok)).toEqual([9, 9, 0, 9]);
});
