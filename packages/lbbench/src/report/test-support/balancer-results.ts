import type { Measurement } from "../../model/measurement.js";
import type { Result, StepResult } from "../../model/result.js";
import type { Scenario, Target } from "../../model/scenario.js";
import {
  aLatency,
  aMeasurement,
  aProcessUsage,
  aResult,
  aScenario,
  aStep,
  aUsage,
} from "../../test-support/fixtures.js";

/** What {@link aBalancerRun} varies. */
interface BalancerShape {
  readonly scenario?: Partial<Scenario>;
  /** Replaces a step, or keeps it by returning it. */
  readonly change?: (step: StepResult) => StepResult;
}

const BEHIND = [{ name: null, server: "single", options: {}, count: 2, weight: 1 }];

/** Makes a target that balances over `backend-1` and `backend-2`. */
function balancer(name: string): Target {
  return { name, server: name, options: { backends: BEHIND, ...(name === "balanced" ? {} : { workers: 1 }) } };
}

/** By target: ok requests/s of each connection up to 100, its p99 a connection in ms, processor time a request in µs, memory in MB. */
const FIGURES: Readonly<
  Record<string, readonly [perConnection: number, p99: number, costUs: number, memoryMb: number]>
> = {
  single: [500, 0.02, 0, 0],
  balanced: [300, 0.04, 25, 90],
  nginx: [400, 0.03, 20, 15],
};

/**
 * Builds a sweep of a server alone and two balancers over 10, 100 and 1,000 connections, two trials, the second 2 % slower. Requests/s grow up
 * to 100 connections and then by a tenth; p99 grows with the connections.
 */
export function aBalancerRun({ scenario, change = (step) => step }: BalancerShape = {}): Result {
  const targets = [{ name: "single", server: "single", options: {} }, balancer("balanced"), balancer("nginx")];
  const levels = [10, 100, 1000].map((connections) => ({ connections, durationMs: 3000 }));
  const steps = levels.flatMap((level) =>
    targets.flatMap(({ name: target }) => [1, 2].map((trial) => change(stepOf(target, level, trial)))),
  );
  const told = { targets, levels, trials: 2, reference: "single", name: "balancers", ...scenario };
  return aResult({ scenario: aScenario(told), steps });
}

function stepOf(target: string, level: StepResult["level"], trial: number): StepResult {
  const [perConnection, p99, costUs, memoryMb] = FIGURES[target] ?? [0, 0, 0, 0];
  const { connections = 0 } = level;
  const slower = trial === 1 ? 1 : 0.98;
  const throughput = perConnection * Math.min(connections, 100) * (connections > 100 ? 1.1 : 1) * slower;
  const share = { requests: Math.round((throughput * 3) / 2), errors: 0 };
  const backends: Measurement["backends"] = { "backend-1": share, "backend-2": share };
  const own = aProcessUsage({
    name: target === "balanced" ? "balancer" : target,
    cpu: (throughput * costUs) / 1e6,
    rssBytes: memoryMb * 1e6 + connections * 1e4,
  });
  return aStep({
    target,
    level,
    trial,
    measurement: aMeasurement({
      requests: { ok: Math.round(throughput * 3) },
      throughput,
      connections: { asked: connections, opened: connections, established: connections },
      latency: aLatency({ mean: (connections / throughput) * 1000, p99: connections * p99 }),
      ...(target === "single" ? {} : { backends }),
    }),
    usage: aUsage(target === "single" ? {} : { balancer: [own] }),
  });
}
