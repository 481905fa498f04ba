import { describe, expect, it } from "vitest";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import type { BackendSnapshot, BalancerSnapshot } from "../options/options.js";
import { isUp, mergeSnapshots, withUpInAny } from "./merge-snapshots.js";

/** What a worker tells that sees its backend so. */
const seeing = (changes: Partial<BackendSnapshot>) => exampleSnapshot({ backends: [exampleBackend(changes)] });

describe("mergeSnapshots", () => {
  it("sums every count of three workers", () => {
    const counts = { requests: 36, errors: 6, aborted: 3, inFlight: 9, queued: 3, retries: 12 };
    const answers = { "1xx": 3, "2xx": 6, "3xx": 3, "4xx": 3, "5xx": 3 };
    const grpc = { OK: 6, UNAVAILABLE: 3 };
    const ejections = { failures: 6, errors: 3, latency: 9 };
    const latency = { boundsSeconds: [0.0005, 0.1, 1], counts: [3, 6, 0, 9], sumSeconds: 21.75 };
    const handshakes = { full: 3, resumed: 15 };
    const worker = exampleSnapshot();
    expect(mergeSnapshots([worker, exampleSnapshot(), exampleSnapshot()])).toEqual({
      backends: [exampleBackend({ ...counts, answers, grpc, ejections, latency, handshakes })],
      connections: 15,
      refused: { "400": 3, "503": 18 },
      shortages: { EMFILE: 6 },
      handshakes: { full: 12, resumed: 27, failed: 9 },
    });
    expect(worker).toEqual(exampleSnapshot());
  });

  it("says of a backend that one of the workers has ejected that it is up in another", () => {
    const [one, other] = [seeing({ condition: "ejected" }), seeing({ condition: "up" })];
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
    const plain = { ...seeing({ handshakes: undefined }), handshakes: undefined };
    const merged = mergeSnapshots([plain, plain]);
    expect([merged.handshakes, merged.backends[0]?.handshakes]).toEqual([undefined, undefined]);
  });

  it("tells the worst condition that a worker sees", () => {
    const fromBestToWorst = ["up", "slow-start", "ejected", "unhealthy", "draining"] as const;
    const workers = fromBestToWorst.map((condition) => seeing({ condition }));
    for (const [index, worst] of fromBestToWorst.entries()) {
      expect(mergeSnapshots(workers.slice(0, index + 1).toReversed()).backends[0]?.condition).toBe(worst);
    }
  });

  it("tells why the worker ejected it whose condition is told", () => {
    const ejected = seeing({ condition: "ejected", ejectedFor: "latency" });
    expect(mergeSnapshots([seeing({}), ejected]).backends[0]?.ejectedFor).toBe("latency");
    expect(mergeSnapshots([seeing({ condition: "unhealthy" }), ejected]).backends[0]?.ejectedFor).toBeUndefined();
  });
});
