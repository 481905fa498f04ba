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
    const merged = mergeSnapshots([exampleSnapshot(), exampleSnapshot(), exampleSnapshot()]);
    expect(merged).toEqual({
      backends: [
        {
          name: "a",
          url: "http://127.0.0.1:4001",
          weight: 2.5,
          condition: "up",
          requests: 36,
          errors: 6,
          aborted: 3,
          inFlight: 9,
          queued: 3,
          retries: 12,
          answers: { "1xx": 3, "2xx": 6, "3xx": 3, "4xx": 3, "5xx": 3 },
          latency: { boundsSeconds: [0.0005, 0.1, 1], counts: [3, 6, 0, 9], sumSeconds: 21.75 },
        },
      ],
      connections: 15,
      refused: { "400": 3, "503": 18 },
    });
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

  it("keeps statuses that only one worker refused with", () => {
    const merged = mergeSnapshots([
      exampleSnapshot({ refused: { "413": 1 } }),
      exampleSnapshot({ refused: { "502": 2 } }),
    ]);
    expect(merged.refused).toEqual({ "413": 1, "502": 2 });
  });

  it("takes the weight of the first", () => {
    const workers = [1, 2].map((weight) => exampleSnapshot({ backends: [exampleBackend({ weight })] }));
    expect(mergeSnapshots(workers).backends[0]?.weight).toBe(1);
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

  it("changes none of what it is given", () => {
    const worker = exampleSnapshot();
    mergeSnapshots([worker, exampleSnapshot()]);
    expect(worker).toEqual(exampleSnapshot());
  });
});
