import { expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import { followDescendants, runningOf } from "../testing/processes.js";

it("ends a sweep that is interrupted under load with what was counted, and with no process left", async () => {
  const descendants = await followDescendants();
  const controller = new AbortController();
  const looking: Promise<unknown>[] = [];
  const { result } = await sweep(
    {
      targets: [{ name: "balanced", server: "balanced", options: { backends: 2 } }],
      connections: [4, 8],
      duration: "10m",
      warmup: "0",
      generators: 2,
    },
    {
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type !== "progress" || event.done === 0) return;
        looking.push(descendants.look().then(() => controller.abort()));
      },
    },
  );
  await Promise.all(looking);
  // Two generators, a balancer, two backends.
  expect(descendants.seen().size).toBe(5);
  expect(runningOf(descendants.seen())).toEqual([]);
  expect(result).toMatchObject({ complete: false, steps: [{ state: "aborted", findings: expect.any(Array) }] });
  expect(result.steps[0]?.measurement?.requests.ok).toBeGreaterThan(0);
  expect(result.steps[0]?.findings.map(({ code }) => code)).toContain("INTERRUPTED");
});
