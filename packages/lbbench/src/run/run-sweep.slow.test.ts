import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { sweep } from "../api/sweep.js";
import { followDescendants, runningOf } from "../testing/contract.js";

it("ends a sweep at the first interruption though the policy of its balancer does not return", async () => {
  const descendants = followDescendants();
  const controller = new AbortController();
  const { result } = await sweep(
    {
      targets: [{ name: "hanging", server: "balanced", options: { backends: 2, policy: "./hanging-policy.mjs" } }],
      connections: 4,
      duration: "10m",
      warmup: "0",
    },
    {
      folder: fileURLToPath(new URL("./test-support/", import.meta.url)),
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type !== "progress" || event.done < 90 || controller.signal.aborted) return;
        void descendants.look().then(() => controller.abort());
      },
    },
  );
  expect(result).toMatchObject({ complete: false, steps: [{ state: "aborted" }] });
  expect(result.steps[0]?.measurement?.requests.ok).toBeGreaterThanOrEqual(90);
  expect(runningOf(descendants.seen())).toEqual([]);
});
