import type { Finding } from "../model/finding.js";
import type { Fault } from "../model/fault.js";
import type { Result } from "../model/result.js";
import { doneFault, slicesOf } from "./faulty-steps.js";
import { aMeasurement, aResult, aScenario, aStep } from "./fixtures.js";

const LEVEL = { rate: 500, durationMs: 10_000 };
const DUE = 10_000;
const FAULTS: readonly Fault[] = [
  { kind: "slow", part: "backend-1", byMs: 2000, atMs: 1000 },
  { kind: "slow", part: "backend-1", byMs: 0, atMs: 4000 },
];
const BACKENDS = [1, 2].map(() => ({
  name: null,
  server: "single",
  options: { handler: "hello" },
  count: 1,
  weight: 1,
}));

/**
 * Builds the result of a comparison of policies, `nginx: random` or of a single balancer `random`, from the share of each trial that was
 * answered within a second. Two backends get as many requests each.
 */
export function aPolicyResult(
  shares: Readonly<Record<string, readonly number[]>>,
  findings: (target: string) => readonly Finding[] = () => [],
): Result {
  const targets = Object.keys(shares);
  const steps = Object.entries(shares).flatMap(([target, all]) =>
    all.map((share, at) => {
      const slices = slicesOf([]);
      const inFlight = { "backend-1": slices.sent.map((_, slice) => slice), "backend-2": slices.sent.map(() => 1) };
      return aStep({
        target,
        trial: at + 1,
        level: LEVEL,
        engine: "wire",
        measurement: aMeasurement({
          elapsedMs: 10_000,
          requests: { ok: 5000 },
          slices: { ...slices, inFlight },
          backends: { "backend-1": { requests: 2500 }, "backend-2": { requests: 2510 } },
          within: { ms: 1000, ok: Math.round(share * DUE), due: DUE },
        }),
        faults: FAULTS.map((fault) => ({ ...doneFault(fault.kind, fault.atMs, fault.part), ...fault })),
        findings: findings(target),
      });
    }),
  );
  const scenario = aScenario({
    name: "policies",
    targets: targets.map((name) => ({ name, server: "balanced", options: { backends: BACKENDS } })),
    reference: null,
    levels: [LEVEL],
    trials: Math.max(...Object.values(shares).map(({ length }) => length)),
    faults: FAULTS,
    policies: {
      scenario: "one-slow",
      withinMs: 1000,
      default: "round-robin",
      compared: targets.map((target) => {
        const [balancer = "balanced", policy = target] = target.includes(": ") ? target.split(": ") : [];
        return { target, balancer, policy };
      }),
    },
  });
  return aResult({ scenario, steps });
}
