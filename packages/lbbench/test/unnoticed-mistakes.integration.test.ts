import { afterAll, expect, it, describe } from "vitest";
import { compare, sweep, type SweepInput } from "../src/index.js";
import type { Finding, FindingCode } from "../src/model/finding.js";
import type { Measurement } from "../src/model/measurement.js";
import type { Result } from "../src/model/result.js";
import type { Engine } from "../src/plugin.js";
import { inProcessChildren } from "./ground-truth/in-process-children.js";
import { HTTP1_SUBJECTS } from "./ground-truth/subjects.js";
import { startTestServer } from "@lbbench/test-support/test-server.js";

/** Mistakes that people make who measure by hand, each made with real servers: what has to be noticed is. */

const [{ engine } = {} as never] = HTTP1_SUBJECTS;
const children = inProcessChildren();
afterAll(() => children.close());

/** An engine that loads from this process as a built-in one does, and tells something else. */
function tellingEngine(name: string, tell = (measurement: Measurement): Measurement => measurement): Engine {
  return {
    ...engine,
    name,
    run: async (load, context) => {
      const outcome = await engine.run({ ...load, generators: 1 }, { ...context, children });
      return { ...outcome, measurement: tell(outcome.measurement) };
    },
  };
}

async function run(input: SweepInput, ...others: readonly Engine[]): Promise<Result> {
  const engines = [tellingEngine("honest"), ...others];
  const { result } = await sweep({ warmup: "0", engine: "honest", trials: 1, ...input }, { plugins: { engines } });
  expect(result.complete).toBe(true);
  return result;
}

const aTarget = (name: string, { url }: { readonly url: string }) => ({ name, server: "url", options: { url } });

function found({ verdict }: Result, code: FindingCode): readonly Finding[] {
  return verdict.findings.filter((finding) => finding.code === code);
}

describe("bytes that do not compare", () => {
  it("are told when one target answers with a hundred times the body", async () => {
    const answering = (bytes: number) =>
      startTestServer({ onRequest: (_, response) => void response.end("x".repeat(bytes)) });
    const [small, large] = [await answering(12), await answering(1200)];
    const targets = [aTarget("small", small), aTarget("large", large)];
    const [finding] = found(await run({ targets, connections: [2], duration: "100ms" }), "BYTES_DIFFER");
    expect(finding).toMatchObject({ severity: "warning", args: { target: "large", other: "small", reason: "body" } });
    expect(finding?.args).toMatchObject({ otherBody: expect.closeTo(12, 1), body: expect.closeTo(1200, 0) });
  });

  it("are no matter between a server and a balancer in front of it", async () => {
    const result = await run({ targets: ["single", "balanced"], connections: [2], duration: "200ms" });
    expect(found(result, "BYTES_DIFFER")).toEqual([]);
    expect(found(result, "IDENTICAL_FIGURES")).toEqual([]);
  });
});

it("a table that is copied from another is recognized by its digits, within a result and between two", async () => {
  // Tells, of whatever it loads, what it saw first at that level: it reads an old output again.
  const outputs = new Map<number, Measurement>();
  const forgetful = tellingEngine("forgetful", (measurement) => {
    const { asked } = measurement.connections;
    const output = outputs.get(asked) ?? measurement;
    outputs.set(asked, output);
    return { ...measurement, ...(output.latency === undefined ? {} : { latency: output.latency }) };
  });
  const [node, go] = [await startTestServer(), await startTestServer()];
  const targets = [aTarget("node", node), aTarget("go", go)];
  const input: SweepInput = { targets, connections: [1, 2], duration: "100ms", trials: 1 };
  const first = await run(input);
  expect(found(first, "IDENTICAL_FIGURES")).toEqual([]);
  const copied = await run({ ...input, engine: "forgetful" }, forgetful);
  expect(found(copied, "IDENTICAL_FIGURES")).toMatchObject([
    { severity: "warning", args: { target: "go", other: "node", levels: "1, 2", copied: 2 } },
  ]);
  const codes = (other: Result): readonly string[] => compare(first, other).differences.map(({ code }) => code);
  expect(codes({ ...first, startedAt: copied.startedAt })).toContain("IDENTICAL_FIGURES");
  expect(codes(await run(input))).not.toContain("IDENTICAL_FIGURES");
  expect(codes(first)).toEqual(["SAME_RUN"]);
});

it("what a balancer refuses itself is told from what its backends refuse, in both modes", async () => {
  const handler = "sleep:5ms";
  const full = { server: "pool", options: { handler, pool: 1, queue: 0 } };
  const limits = { connectionsPerBackend: 1, queuePerBackend: 0 };
  const targets = [
    { name: "limited", server: "balanced", options: { backends: 1, handler, limits } },
    { name: "full", server: "balanced", options: { backends: [full] } },
    { name: "relayed", server: "balanced", options: { backends: [full], mode: "tcp" } },
  ];
  const result = await run({ targets, connections: [4], requests: 200 });
  for (const { measurement } of result.steps) expect(measurement?.statusCodes["503"]).toBeGreaterThan(10);
  const { requests, backends } = result.steps[0]?.measurement ?? {};
  const count = 200 - (backends?.["backend-1"]?.received ?? 0);
  expect(requests).toMatchObject({ sent: 200, non2xx: count });
  expect(found(result, "BALANCER_REFUSED")).toMatchObject([
    { severity: "warning", args: { target: "limited", status: "503", count, sent: 200 } },
  ]);
  expect(found(result, "BACKENDS_NOT_REUSED")).toEqual([]);
});
