import type { HeldConnections } from "../../model/measurement.js";
import type { Result } from "../../model/result.js";
import { aMeasurement, aProcessUsage, aResult, aScenario, aStep, aUsage } from "../../test-support/fixtures.js";

const LEVELS = [1000, 50_000];

/** Of every connection, in bytes; at the lower level less than the noise. */
const BALANCER_BYTES = 9000;
const BACKEND_BYTES = 500;

/**
 * Builds the result of connections that were held to `single` and, behind a balancer, to `balanced`: 10 of the highest level were lost and
 * are there again. `lost`: the connections of `balanced` that were lost, and are not.
 */
export function aHeldResult({ lost = 0 }: { readonly lost?: number } = {}): Result {
  const targets = ["single", "balanced"];
  const scenario = aScenario({
    name: "hold",
    targets: targets.map((name) => ({ name, server: name, options: {} })),
    levels: LEVELS.map((connections) => ({ connections, durationMs: 30_000 })),
    hold: { everyMs: 4000, burst: 100 },
    restart: "step",
  });
  const steps = scenario.levels.flatMap((level) =>
    targets.map((target) => {
      const { connections = 0 } = level;
      const isHigh = connections === LEVELS.at(-1);
      const gone = target === "balanced" && isHigh ? lost : 0;
      const again = isHigh ? 10 : 0;
      const hold: HeldConnections = {
        atStart: connections,
        alive: connections - gone,
        established: connections + again,
        lost: { closed: again, reset: gone, givenUp: 0 },
        ...(isHigh && { sources: ["127.0.0.1", "127.0.0.2", "127.0.0.3"] }),
        burst: {
          connections: { asked: 100, opened: 100 },
          elapsedMs: 5000,
          requests: { sent: 20_000, ok: 20_000, non2xx: 0 },
          throughput: 4000,
          latency: { p50: 20, p99: 55 },
        },
      };
      const process = (name: string, bytes: number) =>
        aProcessUsage({
          name,
          beforeHold: { bytes: 60_000_000, spreadBytes: 100_000 },
          memory: {
            startBytes: 60_000_000 + bytes * connections,
            middleBytes: 60_000_000 + bytes * connections,
            endBytes: 61_000_000 + bytes * connections,
          },
        });
      return aStep({
        target,
        level,
        engine: "wire",
        measurement: aMeasurement({
          elapsedMs: 30_000,
          connections: { asked: connections, opened: connections, established: connections + again },
          requests: { ok: connections * 7 },
          hold,
        }),
        usage: aUsage({
          ...(target === "balanced" && { balancer: [process("balancer", BALANCER_BYTES)] }),
          backends: [process("backend-1", target === "balanced" ? BACKEND_BYTES : BALANCER_BYTES)],
        }),
      });
    }),
  );
  return aResult({ scenario, steps });
}
