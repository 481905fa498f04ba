import { expect, it } from "vitest";
import type { Scenario } from "../model/scenario.js";
import { parseSweepInput } from "../api/parse-sweep-input.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { scenarioSchema } from "../store/scenario-schema.js";
import { checkStoredScenario } from "./check-stored-scenario.js";
import { resolveScenario } from "./resolve-scenario.js";

const plugins = { servers: builtInServers, engines: builtInEngines };

/** Options without which a server can do nothing. */
const NEEDED: ReadonlyMap<string, Record<string, unknown>> = new Map([
  ["url", { url: "http://127.0.0.1:1/" }],
  ["command", { command: ["node", "server.mjs"] }],
  ["grpc-gateway", {}],
]);

it.each([...builtInServers.keys()])("accepts what was resolved and stored of the server %s", (server) => {
  const input = { targets: [{ name: "it", server, options: NEEDED.get(server) ?? {} }], connections: [1] };
  const scenario = resolveScenario(parseSweepInput(input, "test"), plugins);
  const stored = scenarioSchema.parse(JSON.parse(JSON.stringify(scenario))) as Scenario;
  expect(checkStoredScenario(stored, plugins, "result.json")).toEqual(scenario);
});

it("accepts targets that are loaded by engines of their own", () => {
  const input = {
    targets: ["single", "grpc", { name: "wide", server: "grpc", engine: { name: "grpc", options: { channels: 9 } } }],
    connections: [1],
  };
  const scenario = resolveScenario(parseSweepInput(input, "test"), plugins);
  expect(checkStoredScenario(scenario, plugins, "result.json")).toEqual(scenario);
});

it("gives an option of an engine that was not stored, as there was none yet, its default", () => {
  const engine = { name: "undici", options: {} };
  const input = {
    targets: ["single", { name: "other", server: "single", engine }],
    connections: [1],
    engine: "autocannon",
  };
  const scenario = resolveScenario(parseSweepInput(input, "test"), plugins);
  const alone = resolveScenario(parseSweepInput({ ...input, targets: ["single"], engine: "undici" }, "test"), plugins);
  expect(alone.engine.options).toEqual({ streams: 1 });
  const older = {
    ...scenario,
    targets: scenario.targets.map((one) => (one.engine === undefined ? one : { ...one, engine })),
  };
  expect(older).not.toEqual(scenario);
  expect(checkStoredScenario(older, plugins, "result.json")).toEqual(scenario);
  expect(checkStoredScenario({ ...alone, engine: { ...alone.engine, options: {} } }, plugins, "result.json")).toEqual(
    alone,
  );
});

it("refuses an option that was stored and is none any more", () => {
  const scenario = resolveScenario(parseSweepInput({ targets: ["single"], engine: "undici" }, "test"), plugins);
  const stored = { ...scenario, engine: { ...scenario.engine, options: { streams: 1, other: 2 } } };
  expect(() => checkStoredScenario(stored, plugins, "result.json")).toThrow('there is no setting "other"');
});
