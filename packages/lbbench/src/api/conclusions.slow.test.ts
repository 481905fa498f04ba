import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
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

describe.each(["nginx", "haproxy"])("of %s in front of backends a run tells", (program) => {
  const withOptions = (name: string, options: object) => ({
    name,
    server: program,
    options: { backends: 2, ...options },
  });

  it.runIf(needs(program))("that it opens a new connection for each request, where it keeps none", async () => {
    const targets = [withOptions("anew", { keepAlive: 0 }), withOptions("kept", {})];
    const result = await run({ targets, connections: 10, requests: 2000 });
    const [args, ...others] = argsOf(result, "BACKENDS_NOT_REUSED");
    expect(others).toEqual([]);
    expect(args).toMatchObject({ target: "anew" });
    // A request that was under way when measuring began had its connection already.
    expect(args?.["accepted"]).toBeGreaterThanOrEqual(1990);
    const clients = { targets: [withOptions("anew", { keepAlive: 0 })], connections: 10, requests: 500 };
    expect(argsOf(await run({ ...clients, keepAlive: false }), "BACKENDS_NOT_REUSED")).toEqual([]);
  });

  it.runIf(needs(program))("that it has more workers than another balancer", async () => {
    const targets = [
      withOptions("two", { workers: 2 }),
      { name: "ours", server: "balanced", options: { backends: 2 } },
    ];
    const args = { target: "ours", other: "two", workers: 1, otherWorkers: 2 };
    const input = { connections: 2, requests: 200, warmup: "0" };
    expect(argsOf(await run({ ...input, targets }), "CORES_DIFFER")).toContainEqual(args);
    const equal = [withOptions("one", {}), ...targets.slice(1)];
    expect(argsOf(await run({ ...input, targets: equal }), "CORES_DIFFER")).toEqual([]);
  });
});

it.runIf(needs("nginx"))(
  "requests that nginx refuses, as all backends have their most connections, are told",
  async () => {
    const options = { backends: 1, handler: "sleep:5ms", maxConnections: 1 };
    const targets = [{ name: "limited", server: "nginx", options }];
    const result = await run({ targets, connections: 8, requests: 500, warmup: "0" });
    const [args] = argsOf(result, "BALANCER_REFUSED");
    expect(args).toMatchObject({ target: "limited", status: "502", sent: 500 });
    const { backends, requests } = result.steps[0]?.measurement ?? {};
    expect(args?.["count"]).toBe(500 - (backends?.["backend-1"]?.requests ?? 0));
    expect(requests?.non2xx).toBe(args?.["count"]);
  },
);

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

it("names a limit of a rate only where a target does not keep up with it", async () => {
  // Half a second for each of any number at a time; and 13 ms one after the other, which are 77 a second.
  const targets = ["sleep:500ms", "cpu:13ms"].map((handler) => ({
    name: handler,
    server: "single",
    options: { handler },
  }));
  const limits = argsOf(await run({ targets, rate: 100, duration: "2s" }), "PEAK").map(({ target, bottleneck }) => [
    target,
    bottleneck,
  ]);
  expect(Object.fromEntries(limits)).toEqual({ "sleep:500ms": undefined, "cpu:13ms": expect.any(String) as string });
});
