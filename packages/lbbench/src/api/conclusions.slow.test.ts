import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { SweepInput } from "../config/sweep-input.js";
import type { FindingArgs, FindingCode } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { sweep } from "./sweep.js";

const FOLDER = fileURLToPath(new URL("./test-support/", import.meta.url));

async function run(input: SweepInput): Promise<Result> {
  return (await sweep({ trials: 1, ...input }, { folder: FOLDER })).result;
}

function argsOf({ verdict }: Result, code: FindingCode): readonly FindingArgs[] {
  return verdict.findings.flatMap((finding) => (finding.code === code ? [finding.args] : []));
}

/** A server that keeps 20 kB of each request, or nothing. */
const keeping = (name: string, bytes: number) => ({
  name,
  server: "command",
  options: { command: [process.execPath, "leaking-server.mjs", String(bytes)] },
});

/** Three sample servers that take 2 ms, and one that takes 120. */
const uneven = (policy: string) => ({
  name: policy,
  server: "balanced",
  options: {
    policy,
    backends: [
      { server: "single", options: { handler: "sleep:2ms" }, count: 3 },
      { server: "single", options: { handler: "sleep:120ms" } },
    ],
  },
});

describe("a run of real servers concludes", () => {
  it("that memory grows where a server keeps something of each request, and not beside it where another keeps nothing", async () => {
    const result = await run({
      targets: [keeping("leaking", 20_000), keeping("sound", 0)],
      // As short as by default.
      connections: "10,20,30,40,50,60",
      warmup: "500ms",
    });
    const [growing, ...more] = argsOf(result, "MEMORY_GROWS");
    expect(more).toEqual([]);
    expect(growing).toMatchObject({ target: "leaking", lives: 1, of: 1 });
    // What the collector has not yet freed comes and goes.
    expect(growing?.["requestBytes"]).toBeGreaterThan(14_000);
    expect(growing?.["requestBytes"]).toBeLessThan(40_000);
  });

  it("which backend is slow, whatever the policy, and that round robin gives it as much as the others", async () => {
    const result = await run({
      targets: [uneven("round-robin"), uneven("least-connections")],
      connections: "20,40",
      duration: "3s",
      warmup: "300ms",
    });
    const [inTurn, byLoad, ...more] = argsOf(result, "BACKEND_DIFFERS");
    expect(more).toEqual([]);
    expect(inTurn).toMatchObject({ target: "round-robin", process: "backend-4", share: expect.closeTo(0.25, 2) });
    expect(byLoad).toMatchObject({ target: "least-connections", process: "backend-4" });
    expect(byLoad?.["share"]).toBeLessThan(0.2);
    for (const { ms, othersMs } of [inTurn ?? {}, byLoad ?? {}]) {
      expect(ms).toBeGreaterThanOrEqual(119);
      expect(othersMs).toBeLessThan(Number(ms) / 2);
    }
  });
});
