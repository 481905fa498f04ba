import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Scenario, Target } from "../model/scenario.js";
import type { Engine, EngineSupport, Protocol, Server } from "../plugin.js";
import { aScenario } from "../test-support/fixtures.js";
import { createFakeEngine } from "../testing/fake-engine.js";
import { createFakeServer } from "../testing/fake-server.js";
import { resolveEngines } from "./engines.js";
import { ENGINE_KIND, pluginMap, SERVER_KIND } from "./plugins.js";

const anEngine = (name: string, protocols: readonly Protocol[], supports: Partial<EngineSupport> = {}): Engine =>
  createFakeEngine({ name, supports: { protocols, ...supports } });

const RPC_ENGINE: Engine = {
  ...anEngine("grpc", ["grpc"]),
  options: z.strictObject({ channels: z.int().min(1).default(4) }),
};
const ENGINES = [anEngine("autocannon", ["http"]), RPC_ENGINE];
const SERVERS: readonly Server[] = [
  createFakeServer({ name: "web" }),
  { ...createFakeServer({ name: "rpc" }), protocol: () => "grpc" },
];

const WEB: Target = { name: "web", server: "web", options: {} };
const RPC: Target = { name: "rpc", server: "rpc", options: {} };

function resolve(
  input: Parameters<typeof resolveEngines>[0],
  targets: readonly Target[],
  { engines = ENGINES, load = {} }: { readonly engines?: readonly Engine[]; readonly load?: Partial<Scenario> } = {},
) {
  return resolveEngines(input, targets, { ...aScenario(load), generators: 1, ...load } as never, {
    servers: pluginMap(SERVER_KIND, new Map(SERVERS.map((server) => [server.name, server])), "."),
    engines: pluginMap(ENGINE_KIND, new Map(engines.map((engine) => [engine.name, engine])), "."),
  });
}

describe("engines", () => {
  it("are chosen for every target by what it speaks, with their options, or as the target says", async () => {
    await expect(resolve({}, [WEB, RPC])).resolves.toEqual({
      engine: { name: "autocannon", generators: 1, options: {} },
      targets: [WEB, { ...RPC, engine: { name: "grpc", options: { channels: 4 } } }],
    });
    await expect(resolve({}, [RPC])).resolves.toEqual({
      engine: { name: "grpc", generators: 1, options: { channels: 4 } },
      targets: [RPC],
    });
    const two = { ...RPC, name: "two", engine: { name: "grpc", options: { channels: 2 } } };
    await expect(resolve({ engines: { grpc: { channels: 8 } } }, [RPC, two])).resolves.toMatchObject({
      engine: { name: "grpc", options: { channels: 8 } },
      targets: [RPC, two],
    });
  });

  it("that are to be asked for by name are chosen only then, whatever no other one can do", async () => {
    const engines = [
      anEngine("driven", ["http"], { automatic: false }),
      anEngine("autocannon", ["http"], { keepAliveOff: false }),
    ];
    const choose = async (keepAlive: boolean, engine?: string) =>
      (await resolve(engine === undefined ? {} : { engine }, [WEB], { engines, load: { keepAlive } })).engine.name;
    expect(await choose(true)).toBe("autocannon");
    expect(await choose(false, "driven")).toBe("driven");
    await expect(choose(false)).rejects.toThrow(/"autocannon" cannot open a connection .*--engine: driven\./);
  });

  it("are named that can do all that is asked, and else those that can do what is missing", async () => {
    const one = anEngine("one", ["http"], { keepAliveOff: false });
    const closing = anEngine("closing", ["http"], { amounts: ["duration"] });
    const all = anEngine("all", ["http"]);
    const rpc = anEngine("rpc", ["grpc"]);
    const load = { keepAlive: false, levels: [{ connections: 1, requests: 5 }] };
    const choose = (engine: string, ...engines: readonly Engine[]) =>
      expect(resolve({ engine }, [WEB], { engines, load })).rejects;
    await choose("one", one, closing, all, rpc).toThrow(/--engine: all\.$/);
    await choose("one", one, closing, rpc).toThrow(/--engine: closing\.$/);
    await choose("rpc", one, closing, all, rpc).toThrow(/--engine: all\.$/);
    await choose("rpc", one, closing, rpc).toThrow(/--engine: one or closing\.$/);
    await expect(resolve({ engine: "autocannon" }, [RPC])).rejects.toThrow(
      'The engine "autocannon" cannot load the target "rpc", which speaks grpc (it speaks http). Use one that can, with --engine: grpc.',
    );
  });

  const { request } = aScenario();
  const mixOf = (one: object) => ({
    mix: [{ name: "GET /", weight: 1, request: { ...request, ...one }, bodies: null }],
  });
  it.each<[string, Partial<Scenario> | { readonly generators: number }, Partial<EngineSupport>]>([
    ["send at a rate (-r)", { levels: [{ rate: 10, durationMs: 1 }] }, { loads: ["connections"] }],
    ["raise users over time (lbbench ramp)", { levels: [{ users: 9, durationMs: 1 }] }, { loads: ["connections"] }],
    ["open a connection for each request", { keepAlive: false }, { keepAliveOff: false }],
    ["speak HTTP/2", { httpVersion: "2" }, { httpVersions: ["1.1"] }],
    ["read the header Server-Timing (--server-timing)", { serverTiming: true }, { serverTiming: false }],
    ["send a mix of requests (--mix)", mixOf({}), { mixes: false }],
    ["send a number of requests (-n)", { levels: [{ connections: 1, requests: 10 }] }, { amounts: ["duration"] }],
    ["send for a time (-d)", {}, { amounts: ["requests"] }],
    ["be told what to expect of an answer", { request: { ...request, expectBody: "hello" } }, { expectations: false }],
    ["be told what to expect of an answer", mixOf({ expectStatus: "201" }), { expectations: false }],
    ["split the load over several processes (--generators)", { generators: 2 }, { generators: false }],
  ])("are refused that cannot %s", async (what, load, cannot) => {
    const choose = (supports: Partial<EngineSupport>) =>
      resolve({ engine: "any" }, [WEB], { engines: [anEngine("any", ["http"], supports)], load: load as object });
    expect((await choose({})).engine.name).toBe("any");
    await expect(choose(cannot)).rejects.toThrow(`The engine "any" cannot ${what}`);
  });

  it("are not asked for a version of HTTP by targets that speak another protocol, nor what the request of a mix expects", async () => {
    const old = anEngine("old", ["grpc"], { httpVersions: ["1.1"], expectations: false });
    expect((await resolve({}, [RPC], { engines: [old], load: { httpVersion: "2" } })).engine.name).toBe("old");
    const load = { ...mixOf({}), request: { ...request, expectBody: "hello" } };
    const plain = anEngine("plain", ["http"], { expectations: false });
    expect((await resolve({ engine: "plain" }, [WEB], { engines: [plain], load })).engine.name).toBe("plain");
  });
});
