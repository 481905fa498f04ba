import { describe, expect, it } from "vitest";
import { autocannonEngine } from "../src/engines/autocannon/engine.js";
import { compare, sweep, type SweepInput, type SweepOptions } from "../src/index.js";
import type { Finding, FindingCode } from "../src/model/finding.js";
import type { Measurement } from "../src/model/measurement.js";
import type { Result } from "../src/model/result.js";
import type { Engine } from "../src/plugin.js";
import { startTestServer } from "./support/test-server.js";
import { untilKept } from "./support/until-kept.js";
import { createVaryingServer } from "./support/varying-server.js";

/** Mistakes that people make who measure by hand, each made with real servers: what has to be noticed is. */

async function run(input: SweepInput, plugins: SweepOptions["plugins"] = {}): Promise<Result> {
  const { result } = await sweep({ warmup: "0", engine: "autocannon", ...input }, { plugins });
  expect(result.complete).toBe(true);
  return result;
}

function found({ verdict }: Result, code: FindingCode): readonly Finding[] {
  return verdict.findings.filter((finding) => finding.code === code);
}

/** An engine that loads as autocannon does, and tells something else. */
function tellingEngine(name: string, tell: (measurement: Measurement, url: string) => Measurement): Engine {
  return {
    ...autocannonEngine,
    name,
    run: async (load, context) => {
      const outcome = await autocannonEngine.run(load, context);
      return { ...outcome, measurement: tell(outcome.measurement, load.url) };
    },
  };
}

describe("answers that are all of an unexpected status", () => {
  it("are told from good ones, and nothing is said to be fast", async () => {
    const { url } = await startTestServer({
      onRequest: (_, response) => void response.writeHead(404).end("not here"),
    });
    const result = await run({
      targets: [{ name: "missing", server: "url", options: { url } }],
      connections: [1, 4],
      requests: 50,
    });
    expect(result.verdict.status).toBe("inconclusive");
    expect(found(result, "ALL_FAILED")).toMatchObject([{ severity: "error", args: { sent: 50, levels: "1, 4" } }]);
    expect(result.steps.map(({ measurement }) => measurement?.throughput)).toEqual([0, 0]);
  });
});

describe("a server that refuses at once when it is overloaded", () => {
  it("would seem to get quicker as it breaks", async () => {
    const pool = { pool: 2, queue: 2, policy: "drop-tail", handler: "sleep:40ms" };
    const result = await run({
      targets: [{ name: "pool", server: "pool", options: pool }],
      connections: [4, 12],
      duration: "600ms",
    });
    const [finding, ...others] = found(result, "FAST_FAILURES");
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "info", args: { target: "pool", levels: "12", lighter: 4 } });
    const { mixedP50 = NaN, mixedMean = NaN, p50 = NaN, lighterP50 = NaN } = finding?.args ?? {};
    const latency = result.steps.at(-1)?.measurement?.latency;
    expect(latency?.min).toBeGreaterThanOrEqual(39);
    expect(p50).toBe(latency?.p50);
    // A tool that takes all answers for alike has a median in which nothing but refusals are.
    expect(Number(mixedP50)).toBeLessThan(39);
    expect(Number(mixedP50)).toBeLessThan(Number(lighterP50));
    expect(Number(mixedMean)).toBeLessThan(Number(latency?.mean));
  });
});

describe("bytes that do not compare", () => {
  it("are told when one target answers with a hundred times the body", async () => {
    const [small, large] = await Promise.all(
      [12, 1200].map((bytes) => startTestServer({ onRequest: (_, response) => void response.end("x".repeat(bytes)) })),
    );
    const targets = [
      { name: "small", server: "url", options: { url: small?.url } },
      { name: "large", server: "url", options: { url: large?.url } },
    ];
    const result = await run({ targets, connections: [2], duration: "200ms" });
    const [finding] = found(result, "BYTES_DIFFER");
    expect(finding).toMatchObject({ severity: "warning", args: { target: "large", other: "small", reason: "body" } });
    expect([finding?.args["otherBody"], finding?.args["body"]]).toEqual([
      expect.closeTo(12, 1),
      expect.closeTo(1200, 0),
    ]);
  });

  it("are told when one engine counts the head of an answer and the other does not", async () => {
    const { url } = await startTestServer();
    const bodyAlone = tellingEngine("body-alone", (measurement) => {
      const { body = 0 } = measurement.bytes;
      return { ...measurement, bytes: { ...measurement.bytes, received: body } };
    });
    const targets = [
      { name: "by autocannon", server: "url", options: { url } },
      { name: "by another", server: "url", options: { url }, engine: "body-alone" },
    ];
    const result = await run({ targets, connections: [2], duration: "200ms" }, { engines: [bodyAlone] });
    expect(found(result, "BYTES_DIFFER")).toMatchObject([
      { args: { target: "by another", reason: "counting", engine: "body-alone", otherEngine: "autocannon" } },
    ]);
  });

  it("are no matter between a server and a balancer in front of it", async () => {
    const result = await run({ targets: ["single", "balanced"], connections: [2], duration: "300ms" });
    expect(found(result, "BYTES_DIFFER")).toEqual([]);
    expect(found(result, "IDENTICAL_FIGURES")).toEqual([]);
  });
});

describe("a table that is copied from another", () => {
  /** Tells, of whatever it loads, what it saw first at that level: it reads an old output again. */
  function createForgetfulEngine(): Engine {
    const outputs = new Map<number, Measurement>();
    return tellingEngine("forgetful", (measurement) => {
      const { asked } = measurement.connections;
      const output = outputs.get(asked) ?? measurement;
      outputs.set(asked, output);
      return { ...measurement, ...(output.latency === undefined ? {} : { latency: output.latency }) };
    });
  }

  it("is recognized by its digits, within a result and between two", async () => {
    const [node, go] = await Promise.all([startTestServer(), startTestServer()]);
    const targets = [
      { name: "node", server: "url", options: { url: node.url } },
      { name: "go", server: "url", options: { url: go.url } },
    ];
    const input: SweepInput = { targets, connections: [1, 2], duration: "200ms" };
    const honest = await run(input);
    expect(found(honest, "IDENTICAL_FIGURES")).toEqual([]);
    const copied = await run({ ...input, engine: "forgetful" }, { engines: [createForgetfulEngine()] });
    expect(found(copied, "IDENTICAL_FIGURES")).toMatchObject([
      { severity: "warning", args: { target: "go", other: "node", levels: "1, 2", copied: 2 } },
    ]);
    const codes = (b: Result): readonly string[] => compare(honest, b).differences.map(({ code }) => code);
    expect(codes({ ...honest, startedAt: copied.startedAt })).toContain("IDENTICAL_FIGURES");
    expect(codes(await run(input))).not.toContain("IDENTICAL_FIGURES");
    expect(codes(honest)).toEqual(["SAME_RUN"]);
  });
});

describe("runs of a few milliseconds", () => {
  it("are said to be too short", async () => {
    const { url } = await startTestServer();
    const result = await run({
      targets: [{ name: "quick", server: "url", options: { url } }],
      connections: [1, 2],
      requests: 20,
    });
    expect(found(result, "TOO_SHORT")).toMatchObject([{ severity: "warning", args: { levels: "1, 2" } }]);
  });
});

describe("a gain within the noise", () => {
  /** Which no difference can be told from, because the trials of each differ by more; the medians are 60 and 70 ms. */
  const TRIALS = { one: [60, 20, 100, 40, 80], other: [70, 30, 110, 50, 90] };

  it("is named, and that it cannot be claimed", async () => {
    const attempts = await untilKept(
      async () => {
        const targets = Object.entries(TRIALS).map(([name, delaysMs]) => ({
          name,
          server: "varying",
          options: { delaysMs },
        }));
        const value = await run(
          { targets, reference: "other", connections: [2], duration: "1s", trials: 5 },
          { servers: [createVaryingServer()] },
        );
        const isDisturbed = found(value, "MACHINE_SATURATED").length > 0;
        return { value, isDisturbed };
      },
      (result) => found(result, "WITHIN_NOISE").length > 0,
    );
    const [finding, ...others] = attempts.flatMap((result) => found(result, "WITHIN_NOISE"));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      severity: "info",
      args: { target: "one", reference: "other", metric: "throughput", trials: 5, higher: "2" },
    });
    expect(Number(finding?.args["highest"])).toBeGreaterThan(0.02);
  }, 200_000);
});
