import { describe, expect, it } from "vitest";
import type { BackendCondition } from "../options/options.js";
import { exampleBackend, exampleSnapshot } from "../test-support/observe-example.js";
import { mergeSnapshots } from "./merge-snapshots.js";

describe("mergeSnapshots", () => {
  it("makes an empty snapshot of no workers, and leaves that of a single one as it is", () => {
    expect(mergeSnapshots([])).toEqual({ backends: [], connections: 0, refused: {} });
    expect(mergeSnapshots([exampleSnapshot()])).toEqual(exampleSnapshot());
  });

  it("sums every count of three workers", () => {
    const thrice = (counts: readonly number[]) => counts.map((count) => 3 * count);
    const one = exampleBackend();
    const counts = ["requests", "errors", "aborted", "inFlight", "queued", "retries"] as const;
    const sums = Object.fromEntries(counts.map((name) => [name, 3 * one[name]]));
    const answers = Object.fromEntries(Object.entries(one.answers).map(([name, count]) => [name, 3 * count]));
    const latency = { ...one.latency, counts: thrice(one.latency.counts), sumSeconds: 21.75 };
    const worker = exampleSnapshot();
    expect(mergeSnapshots([worker, exampleSnapshot(), exampleSnapshot()])).toEqual({
      backends: [{ ...one, ...sums, answers, latency }],
      connections: 15,
      refused: { "400": 3, "503": 18 },
    });
    expect(worker).toEqual(exampleSnapshot());
  });

  it("matches backends by name, in the order in which they first appear", () => {
    const [a, b, c] = ["a", "b", "constructor"].map((name) => exampleBackend({ name, requests: 1 }));
    const merged = mergeSnapshots([
      exampleSnapshot({ backends: [b, a].flatMap((backend) => backend ?? []) }),
      exampleSnapshot({ backends: [c, a].flatMap((backend) => backend ?? []) }),
    ]);
    expect(merged.backends.map(({ name, requests }) => [name, requests])).toEqual([
      ["b", 1],
      ["a", 2],
      ["constructor", 1],
    ]);
  });

  it("keeps statuses that only one worker refused with, and takes the weight of the first", () => {
    const workers = [413, 502].map((status) =>
      exampleSnapshot({ refused: { [status]: 1 }, backends: [exampleBackend({ weight: status })] }),
    );
    expect(mergeSnapshots(workers)).toMatchObject({ refused: { "413": 1, "502": 1 }, backends: [{ weight: 413 }] });
  });

  const fromBestToWorst: readonly BackendCondition[] = ["up", "slow-start", "ejected", "unhealthy", "draining"];
  it.each(fromBestToWorst.slice(1).map((worse, index) => [fromBestToWorst[index] ?? "up", worse] as const))(
    "takes %s for better than %s, whichever worker comes first",
    (better, worse) => {
      const workers = [better, worse].map((condition) =>
        exampleSnapshot({ backends: [exampleBackend({ condition })] }),
      );
      expect(mergeSnapshots(workers).backends[0]?.condition).toBe(worse);
      expect(mergeSnapshots(workers.toReversed()).backends[0]?.condition).toBe(worse);
    },
  );

  it.each([
    ["another bound", [0.0005, 0.2, 1], [1, 2, 0, 3]],
    ["a bound less", [0.0005, 0.1], [1, 2, 3]],
    ["a bound more", [0.0005, 0.1, 1, 2], [1, 2, 0, 3, 0]],
    ["a count missing", [0.0005, 0.1, 1], [1, 2, 0]],
  ])("refuses latencies with %s", (_, boundsSeconds, counts) => {
    const other = exampleBackend({ latency: { boundsSeconds, counts, sumSeconds: 1 } });
    expect(() => mergeSnapshots([exampleSnapshot(), exampleSnapshot({ backends: [other] })])).toThrow(
      /^Latencies of backend "a": expected the same buckets from every worker, got bounds of 0.0005, 0.1, 1 s and of /,
    );
  });
});
