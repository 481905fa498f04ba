import { startPool } from "@lbbench/backends";
import { expect, it, onTestFinished } from "vitest";
import { sweep } from "../../src/index.js";

const REFUSING = { handler: "sleep:5ms", pool: 2, queue: 3 };

it.each([
  ["drop-tail", { ...REFUSING, policy: "drop-tail" }, 300, ["non2xx"]],
  ["drop-head", { ...REFUSING, policy: "drop-head" }, 300, ["non2xx"]],
  ["closing", { ...REFUSING, queue: 0, refusal: "close" }, 300, ["dropped", "resets"]],
  ["block, which refuses nothing", { handler: "sleep:1ms", policy: "block" }, 100, []],
  ["simple, which refuses nothing", { handler: "sleep:1ms", policy: "simple" }, 100, []],
] as const)("a pool that is overloaded has counted what was measured: %s", async (_, options, count, kinds) => {
  const pool = await startPool(options);
  onTestFinished(() => pool.stop());
  const { result } = await sweep({ targets: [pool.url], connections: 20, requests: count, warmup: "0" });
  const { requests, statusCodes } = result.steps[0]?.measurement ?? {};
  const { accepted, served, refused, longestQueue } = pool.stats();
  expect(requests).toMatchObject({ sent: accepted, ok: served });
  expect(kinds.reduce((sum, kind) => sum + (requests?.[kind] ?? 0), 0)).toBe(refused);
  expect(refused > 0).toBe(kinds.length > 0);
  if (!("queue" in options) || options.queue === 0) return;
  expect(statusCodes).toEqual({ "200": served, "503": refused });
  expect(longestQueue).toBe(options.queue);
  expect(result.steps[0]?.findings.map(({ code }) => code)).toContain("NON_2XX");
});
