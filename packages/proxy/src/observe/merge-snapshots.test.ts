import { describe, expect, it } from "vitest";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import type { BackendSnapshot, BalancerSnapshot } from "../options/options.js";
import { isUp, mergeSnapshots, withUpInAny } from "./merge-snapshots.js";

describe("mergeSnapshots", () => {
  it("sums every count of three workers", () => {
    const thrice = (counts: readonly number[]) => counts.map((count) => 3 * count);
    const one = exampleBackend();
    const counts = ["requests", "errors", "aborted", "inFlight", "queued", "retries"] as const;
    const sums = Object.fromEntries(counts.map((name) => [name, 3 * one[name]]));
    const answers = Object.fromEntries(Object.entries(one.answers).map(([name, count]) => [name, 3 * count]));
    const ejections = { failures: 6, errors: 3, latency: 9 };
    const latency = { ...one.latency, counts: thrice(one.latency.counts), sumSeconds: 21.75 };
    const worker = exampleSnapshot();
    expect(mergeSnapshots([worker, exampleSnapshot(), exampleSnapshot()])).toEqual({
      backends: [
        {
          ...one,
          ...sums,
          answers,
          grpc: { OK: 6, UNAVAILABLE: 3 },
          ejections,
          latency,
          handshakes: { full: 3, resumed: 15 },
        },
      ],
      connections: 15,
      refused: { "400": 3, "503": 18 },
      shortages: { EMFILE: 6 },
      handshakes: { full: 12, resumed: 27, failed: 9 },
    });
    expect(worker).toEqual(exampleSnapshot());
  });

  it("says of a backend that one of the workers has ejected that it is up in another", () => {
    const [one, other] = (["ejected", "up"] as const).map((condition) =>
      exampleSnapshot({ backends: [exampleBackend({ condition })] }),
    ) as [BalancerSnapshot, BalancerSnapshot];
    const up = (...workers: readonly BalancerSnapshot[]): boolean | undefined => {
      const [backend] = withUpInAny(mergeSnapshots([exampleSnapshot(), ...workers]), workers).backends;
      expect(backend?.condition).toBe(workers.includes(one) ? "ejected" : exampleBackend().condition);
      return backend && isUp(backend);
    };
    expect([up(one, other), up(one, one), up(other)]).toEqual([true, false, true]);
    // Of workers that have told nothing yet the plan speaks.
    expect(isUp(withUpInAny(other, []).backends[0] as BackendSnapshot)).toBe(true);
  });

  it("keeps statuses that only one worker refused with, and takes the weight of the first", () => {
    const workers = [413, 502].map((status) =>
      exampleSnapshot({ refused: { [status]: 1 }, backends: [exampleBackend({ weight: status })] }),
    );
    expect(mergeSnapshots(workers)).toMatchObject({ refused: { "413": 1, "502": 1 }, backends: [{ weight: 413 }] });
  });

  it("adds up what workers that died have not told, and says nothing of it where all was told", () => {
    const died = [5, 7].map((ms) => exampleSnapshot({ uncounted: { workers: 1, ms } }));
    expect(mergeSnapshots([exampleSnapshot(), ...died]).uncounted).toEqual({ workers: 2, ms: 12 });
    expect(mergeSnapshots([exampleSnapshot()])).not.toHaveProperty("uncounted");
  });

  it("tells of no handshakes where there is no TLS", () => {
    const plain = exampleSnapshot({ handshakes: undefined, backends: [exampleBackend({ handshakes: undefined })] });
    const merged = mergeSnapshots([plain, plain]);
    expect([merged.handshakes, merged.backends[0]?.handshakes]).toEqual([undefined, undefined]);
  });

  it("tells the worst condition that a worker sees", () => {
    const fromBestToWorst = ["up", "slow-start", "ejected", "unhealthy", "draining"] as const;
    const workers = fromBestToWorst.map((condition) => exampleSnapshot({ backends: [exampleBackend({ condition })] }));
    for (const [index, worst] of fromBestToWorst.entries()) {
      expect(mergeSnapshots(workers.slice(0, index + 1).toReversed()).backends[0]?.condition).toBe(worst);
    }
  });

  it("tells why the worker ejected it whose condition is told", () => {
    const backends = [
      exampleBackend(),
      exampleBackend({ condition: "ejected", ejectedFor: "latency" }),
      exampleBackend({ condition: "unhealthy" }),
    ];
    const workers = backends.map((backend) => exampleSnapshot({ backends: [backend] }));
    expect(mergeSnapshots(workers.slice(0, 2)).backends[0]?.ejectedFor).toBe("latency");
    expect(mergeSnapshots(workers.slice(1).toReversed()).backends[0]?.ejectedFor).toBeUndefined();
  });
});
