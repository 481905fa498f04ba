import type { Result } from "../../model/result.js";
import type { Ramp } from "../../model/scenario.js";
import { seededRandom } from "../../stats/seeded-random.js";
import { drawNormal } from "../../stats/test-support/simulated-trials.js";
import { judgeResult } from "../../judge/judge-result.js";
import { judgeStep } from "../../judge/judge-step.js";
import { anEnvironment, aProcessUsage, aResult, aUsage } from "../../test-support/fixtures.js";
import { aRampScenario, aRampStep, ONE_A_SECOND } from "../../test-support/ramps.js";
import type { RampShape } from "../../test-support/ramps.js";

/** What {@link aRampResult} varies. */
interface RampResultShape {
  readonly targets?: Readonly<Record<string, RampShape["at"]>>;
  readonly users?: number;
  readonly ramp?: Ramp;
  readonly durationMs?: number;
}

/** An HTTP server that slows down beyond some users, one that asks another behind it, and one that refuses all beyond 62. */
const THREE_SERVERS: Readonly<Record<string, RampShape["at"]>> = {
  http: (users) => ({ ok: 900 * (1 - Math.exp(-users / 22)), tail: 7 }),
  "http + gRPC": (users) => ({ ok: 700 * (1 - Math.exp(-users / 26)), tail: 9 }),
  gRPC: (users) =>
    users >= 63
      ? { ok: users >= 65 ? 0 : 180, p50: 340, failed: 3400, failure: "connectErrors", tail: 3 }
      : { ok: Math.min(users, 30) * 70, tail: users > 58 ? 40 : 6 },
};

/** Builds the result of ramps, as those of real servers look: noisy, with a slow first second and a pause now and then. */
export function aRampResult(shape: RampResultShape = {}): Result {
  const { targets = THREE_SERVERS, users = 100, ramp = ONE_A_SECOND, durationMs = 100_000 } = shape;
  const names = Object.keys(targets);
  const scenario = aRampScenario({
    targets: names.map((name) => ({ name, server: "single", options: {} })),
    reference: names.length > 1 ? (names[0] ?? null) : null,
    levels: [{ users, durationMs }],
    ramp,
  });
  const steps = Object.entries(targets).map(([target, at], index) => {
    const random = seededRandom(index * 100 + 1);
    const noise = (value: number, second: number): number =>
      value * (second === 0 ? 0.6 : 1 + 0.04 * drawNormal(random)) * (random() < 0.02 ? 0.5 : 1);
    return aRampStep({ at, users, ramp, durationMs, noise, step: { target, usage: usage(index) } });
  });
  const judged = steps.map((step) => ({ ...step, findings: judgeStep(step, scenario, anEnvironment()) }));
  const verdict = judgeResult({ scenario, steps: judged });
  return aResult({ scenario, steps: judged, verdict, command: "lbbench ramp --users 1:100 --duration 100s" });
}

function usage(index: number): ReturnType<typeof aUsage> {
  const generator = [aProcessUsage({ cpu: 0.3, eventLoopUtilization: 0.4 })];
  return aUsage({ generator, backends: [aProcessUsage({ name: "backend-1", cpu: 0.5 + index / 10 })] });
}
