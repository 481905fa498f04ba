import { startPool } from "@lbbench/backends";
import { describe, expect, it } from "vitest";
import { sweep } from "../../src/index.js";

const POOL = 2;
const QUEUE = 3;

describe("a pool that is overloaded", () => {
  it.each(["drop-tail", "drop-head"] as const)("has counted what was measured: %s", async (policy) => {
    const pool = await startPool({ handler: "sleep:5ms", pool: POOL, queue: QUEUE, policy });
    try {
      const { result } = await sweep({ targets: [pool.url], connections: 20, requests: 2000, warmup: "0" });
      const { requests, statusCodes } = result.steps[0]?.measurement ?? {};
      const { accepted, served, refused, longestQueue } = pool.stats();
      expect(requests).toMatchObject({ sent: accepted, ok: served, non2xx: refused });
      expect(statusCodes).toEqual({ "200": served, "503": refused });
      expect(refused).toBeGreaterThan(0);
      expect(longestQueue).toBe(QUEUE);
      expect(result.steps[0]?.findings.map(({ code }) => code)).toContain("NON_2XX");
    } finally {
      await pool.stop();
    }
  });

  it.each(["block", "simple"] as const)("refuses nothing: %s", async (policy) => {
    const pool = await startPool({ handler: "sleep:1ms", policy });
    try {
      const { result } = await sweep({ targets: [pool.url], connections: 20, requests: 400, warmup: "0" });
      expect(result.steps[0]?.measurement?.requests).toMatchObject({ sent: 400, ok: 400 });
      expect(pool.stats()).toMatchObject({ accepted: 400, served: 400, refused: 0 });
    } finally {
      await pool.stop();
    }
  });

  it("is an outcome like any other when it closes connections in place of an answer", async () => {
    const pool = await startPool({ handler: "sleep:5ms", pool: POOL, queue: 0, refusal: "close" });
    try {
      const { result } = await sweep({ targets: [pool.url], connections: 10, requests: 500, warmup: "0" });
      const { requests } = result.steps[0]?.measurement ?? {};
      const { served, refused } = pool.stats();
      expect(requests?.ok).toBe(served);
      expect((requests?.dropped ?? 0) + (requests?.resets ?? 0)).toBe(refused);
      expect(refused).toBeGreaterThan(0);
    } finally {
      await pool.stop();
    }
  });
});
