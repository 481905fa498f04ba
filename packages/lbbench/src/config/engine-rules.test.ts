import { describe, expect, it } from "vitest";
import type { EngineSupport } from "../plugin.js";
import { aScenario } from "../test-support/fixtures.js";
import { engineDemands, type LoadDemand } from "./engine-rules.js";

const LEAST: EngineSupport = {
  protocols: ["http"],
  loads: ["connections"],
  keepAliveOff: false,
  tlsVerification: false,
};

const { request, ...scenario } = aScenario();
const MIX = [{ name: "GET /", weight: 1, request, bodies: null }];

function unmet(load: Partial<LoadDemand>, supports: Partial<EngineSupport> = {}): readonly string[] {
  return engineDemands({ ...scenario, request, generators: 1, ...load }, "http")
    .filter(({ isMet }) => !isMet({ ...LEAST, ...supports }))
    .map(({ what }) => what);
}

describe("engineDemands", () => {
  it("asks nothing beyond connections kept busy by default", () => {
    expect(unmet({})).toEqual([]);
  });

  it.each<[string, Partial<LoadDemand>, Partial<EngineSupport>]>([
    ["send at a rate (-r)", { levels: [{ rate: 10, durationMs: 1 }] }, { loads: ["rate"] }],
    ["raise users over time (lbbench ramp)", { levels: [{ users: 10, durationMs: 1 }] }, { loads: ["users"] }],
    [
      "open a connection for each request (--no-keepalive, keepAlive: false)",
      { keepAlive: false },
      { keepAliveOff: true },
    ],
    ["speak HTTP/2", { httpVersion: "2" }, { httpVersions: ["1.1", "2"] }],
    ["send a mix of requests (--mix)", { mix: MIX }, { mixes: true }],
  ])("asks an engine to %s, which it has to say that it can", (what, load, supports) => {
    expect(unmet(load)).toEqual([what]);
    expect(unmet(load, supports)).toEqual([]);
  });

  const counted = { levels: [{ connections: 1, requests: 10 }] };
  const expecting = { request: { ...request, expectBody: "hello" } };
  it.each<[string, Partial<LoadDemand>, Partial<EngineSupport>]>([
    ["send a number of requests (-n)", counted, { amounts: ["duration"] }],
    ["send for a time (-d)", {}, { amounts: ["requests"] }],
    ["be told what to expect of an answer (--expect-status, --expect-body)", expecting, { expectations: false }],
    ["split the load over several processes (--generators)", { generators: 2 }, { generators: false }],
  ])("asks an engine to %s, which it can unless it says that it cannot", (what, load, supports) => {
    expect(unmet(load)).toEqual([]);
    expect(unmet(load, supports)).toEqual([what]);
  });

  it("looks for what is expected at the requests of a mix, not at the one that they take the place of", () => {
    const supports = { mixes: true, expectations: false };
    const expecting = MIX.map((one) => ({ ...one, request: { ...request, expectStatus: "201" } }));
    expect(unmet({ mix: [...MIX, ...expecting] }, supports)).toHaveLength(1);
    expect(unmet({ mix: MIX, request: { ...request, expectBody: "hello" } }, supports)).toEqual([]);
  });

  it("leaves the version of HTTP to targets that speak it", () => {
    const demands = engineDemands({ ...scenario, request, generators: 1, httpVersion: "2" }, "grpc");
    expect(demands.map(({ what }) => what)).toEqual(["keep connections busy (-c)", "send for a time (-d)"]);
  });
});
