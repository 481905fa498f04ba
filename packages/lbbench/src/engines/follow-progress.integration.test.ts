import { describe, expect, it } from "vitest";
import type { Engine, LoadProgress } from "../plugin.js";
import { runCheck, type EngineCheck } from "../testing/engine-contract/engine-check.js";
import { autocannonEngine } from "./autocannon/engine.js";
import { grpcEngine } from "./grpc/engine.js";
import { undiciEngine } from "./undici/engine.js";

const DURATION_MS = 2500;
const TENTH = 10;

type Case = readonly [what: string, engine: Engine, load: Pick<EngineCheck, "level" | "generators" | "httpVersion">];

const closed = { connections: 4, durationMs: DURATION_MS };

describe("the progress of a load of some seconds", () => {
  it.each<Case>([
    ["autocannon, one generator", autocannonEngine, { level: closed }],
    ["autocannon, two generators", autocannonEngine, { level: closed, generators: 2 }],
    ["undici, two generators", undiciEngine, { level: closed, generators: 2 }],
    ["undici over HTTP/2", undiciEngine, { level: closed, generators: 2, httpVersion: "2" }],
    ["a ramp", undiciEngine, { level: { users: 6, durationMs: DURATION_MS }, generators: 2 }],
    ["an open loop", undiciEngine, { level: { rate: 300, durationMs: DURATION_MS }, generators: 2 }],
    ["gRPC", grpcEngine, { level: closed, generators: 2 }],
  ])("tells each second as the timeline has it, and what failed: %s", async (name, engine, load) => {
    const told: LoadProgress[] = [];
    await runCheck(engine, {
      name,
      ...load,
      answer: (number) => (number % TENTH === 0 ? "error" : "ok"),
      context: () => ({ onProgress: (progress) => void told.push(progress) }),
      check: ({ measurement: { timeline, requests } }) => {
        const latest = told.flatMap((progress) => progress.latest ?? []);
        // All but the last one, unless the machine is too busy to ask in time.
        const seconds = [...new Set(latest.map(({ second }) => second))];
        expect(seconds).toEqual(seconds.map((_, index) => index));
        expect(seconds).toContain(0);
        for (const second of latest) expect(second).toEqual(timeline[second.second]);
        expect(latest[0]?.failed).toBeGreaterThan(0);
        const failed = told.map((progress) => progress.failed ?? Number.NaN);
        expect(failed).toEqual(failed.toSorted((a, b) => a - b));
        expect(failed.at(-1)).toBeLessThanOrEqual(requests.non2xx);
        expect(failed.at(-1)).toBeGreaterThanOrEqual(seconds.reduce((sum, at) => sum + (timeline[at]?.failed ?? 0), 0));
      },
    });
  });
});
