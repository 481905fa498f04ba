import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Target } from "../model/scenario.js";
import type { Engine, Protocol, Server } from "../plugin.js";
import { createFakeEngine } from "../testing/fake-engine.js";
import { createFakeServer } from "../testing/fake-server.js";
import { aScenario } from "../test-support/fixtures.js";
import { resolveEngines } from "./resolve-engines.js";

function anEngine(name: string, protocols: readonly Protocol[], options?: Engine["options"]): Engine {
  return { ...createFakeEngine({ name, supports: { protocols } }), ...(options === undefined ? {} : { options }) };
}

const OPTIONS = z.strictObject({ channels: z.int().min(1).default(4) });
const ENGINES = [anEngine("autocannon", ["http"]), anEngine("grpc", ["grpc"], OPTIONS), anEngine("other", ["http"])];
const SERVERS: readonly Server[] = [
  createFakeServer({ name: "web" }),
  { ...createFakeServer({ name: "rpc" }), protocol: () => "grpc" },
];
const PLUGINS = {
  servers: new Map(SERVERS.map((server) => [server.name, server])),
  engines: new Map(ENGINES.map((engine) => [engine.name, engine])),
};

const WEB: Target = { name: "web", server: "web", options: {} };
const RPC: Target = { name: "rpc", server: "rpc", options: {} };

const resolve = (input: Parameters<typeof resolveEngines>[0], ...targets: readonly Target[]) =>
  resolveEngines(input, targets, { ...aScenario(), generators: 1 }, PLUGINS);

describe("resolveEngines", () => {
  it("loads every target with the engine that speaks what it speaks", () => {
    expect(resolve({}, WEB, RPC)).toEqual({
      engine: { name: "autocannon", generators: 1, options: {} },
      targets: [WEB, { ...RPC, engine: { name: "grpc", options: { channels: 4 } } }],
    });
    expect(resolve({}, RPC)).toEqual({
      engine: { name: "grpc", generators: 1, options: { channels: 4 } },
      targets: [RPC],
    });
  });

  it("chooses an engine that is to be asked for by name only then, whatever no other one can do", () => {
    const driven = createFakeEngine({ name: "driven", supports: { automatic: false } });
    const own = createFakeEngine({ name: "autocannon", supports: { keepAliveOff: false } });
    const plugins = { ...PLUGINS, engines: new Map([driven, own].map((engine) => [engine.name, engine])) };
    const withPlugins = (input: Parameters<typeof resolveEngines>[0], keepAlive: boolean) =>
      resolveEngines(input, [WEB], { ...aScenario({ keepAlive }), generators: 1 }, plugins).engine.name;
    expect(withPlugins({}, true)).toBe("autocannon");
    expect(withPlugins({ engine: "driven" }, false)).toBe("driven");
    expect(() => withPlugins({}, false)).toThrow(/"autocannon" cannot open a connection .*--engine: driven\./);
  });

  it("lets a target have an engine, or options, of its own", () => {
    const own = { ...WEB, engine: { name: "other", options: {} } };
    expect(resolve({}, WEB, own).targets).toEqual([WEB, own]);
    const two = { ...RPC, name: "two", engine: { name: "grpc", options: { channels: 2 } } };
    expect(resolve({ engines: { grpc: { channels: 8 } } }, RPC, two)).toMatchObject({
      engine: { name: "grpc", options: { channels: 8 } },
      targets: [RPC, two],
    });
  });

  it("refuses an engine that does not speak what the target speaks, and names those that do", () => {
    expect(() => resolve({ engine: "autocannon" }, RPC)).toThrow(
      'The engine "autocannon" cannot load the target "rpc": it speaks http, the target grpc. Engines that do: grpc.',
    );
  });

  it("names engines that can do all that is asked, and else those that can do what is missing", () => {
    const { supports } = createFakeEngine();
    const engine = (name: string, change: Partial<Engine["supports"]>) =>
      createFakeEngine({ name, supports: { ...supports, ...change } });
    const one = engine("one", { keepAliveOff: false });
    const closing = engine("closing", { amounts: ["duration"] });
    const all = engine("all", {});
    const rpc = engine("rpc", { protocols: ["grpc"] });
    const choose = (name: string, ...engines: readonly Engine[]) => {
      const load = { ...aScenario({ keepAlive: false, levels: [{ connections: 1, requests: 5 }] }), generators: 1 };
      const plugins = { ...PLUGINS, engines: new Map(engines.map((each) => [each.name, each])) };
      return () => resolveEngines({ engine: name }, [WEB], load, plugins);
    };
    expect(choose("one", one, closing, all, rpc)).toThrow(/--engine: all\.$/);
    expect(choose("one", one, closing, rpc)).toThrow(/--engine: closing\.$/);
    expect(choose("rpc", one, closing, all, rpc)).toThrow(/Engines that do: all\.$/);
    expect(choose("rpc", one, closing, rpc)).toThrow(/Engines that do: one or closing\.$/);
  });

  it("names the flag of an option, and says where no target speaks what its engine speaks", () => {
    expect(() => resolve({ engines: { grpc: { channels: "x" } } }, RPC)).toThrow(
      'engines.grpc.channels (--channels): expected a number, got "x"',
    );
    expect(() => resolve({ engines: { grpc: { channels: 2 } } }, WEB)).toThrow(
      'engines.grpc (--channels): expected options of an engine that loads a target, got those of "grpc", which loads none here. ' +
        "It speaks grpc, and no target does: leave them out.",
    );
    expect(() => resolve({ engines: { other: {} } }, WEB)).toThrow("Leave them out, or choose it with --engine other.");
  });

  it("refuses options that are wrong, of an engine without any, and of one that is not used", () => {
    expect(() => resolve({ engines: { grpc: { chanels: 2 } } }, RPC)).toThrow(
      'engines.grpc: there is no setting "chanels". Did you mean "channels"?',
    );
    expect(() => resolve({ engines: { autocannon: { x: 2 } } }, WEB)).toThrow(
      "engines.autocannon: expected no options",
    );
    expect(() => resolve({ engines: { grpc: {} } }, WEB)).toThrow('got those of "grpc", which loads none here');
    expect(() => resolve({ engines: { grcp: {} } }, WEB)).toThrow('Did you mean "grpc"?');
  });

  it("names the target whose engine is unknown", () => {
    expect(() => resolve({}, { ...WEB, engine: { name: "constructor", options: {} } })).toThrow(
      'web: engine: expected autocannon, grpc or other, got "constructor".',
    );
  });
});
