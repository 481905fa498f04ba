import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { BackendGroup } from "../model/scenario.js";
import type { Server } from "../plugin.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { ConfigError } from "./config-error.js";
import { formatPath } from "./format-path.js";
import { resolveServer } from "./resolve-server.js";

const resolve = (server: string, options: Readonly<Record<string, unknown>>) =>
  resolveServer({ server, options }, builtInServers, (path) => `a: ${formatPath(path)}`);

describe("resolveServer", () => {
  it("fills in the options of whatever stands behind a balancer, at any depth", () => {
    const inner = { server: "balanced", options: { backends: 2 }, count: 3, name: "inner" };
    const { options } = resolve("balanced", { backends: [inner, "cluster"] });
    const [first, second] = options["backends"] as readonly BackendGroup[];
    expect(first).toMatchObject({
      name: "inner",
      count: 3,
      weight: 1,
      options: { policy: "round-robin", mode: "http" },
    });
    expect(first?.options["backends"]).toEqual([
      { name: null, server: "single", options: { handler: "hello", port: 0 }, count: 2, weight: 1 },
    ]);
    expect(second).toMatchObject({ server: "cluster", options: { workers: 4 } });
  });

  it("accepts what it has resolved", () => {
    const once = resolve("balanced", { backends: [{ server: "balanced" }] });
    expect(resolve(once.server, once.options)).toEqual(once);
  });

  it("names the place of what is wrong inside", () => {
    const backends = [{ server: "balanced", options: { backends: ["single", { server: "sinlge" }] } }];
    expect(() => resolve("balanced", { backends })).toThrow(
      /^a: options\.backends\[0\]\.options\.backends\[1\]\.server: expected single.*got "sinlge"\. Did you mean "single"\?$/,
    );
    expect(() => resolve("balanced", { backends: [{ server: "cluster", options: { workers: 0 } }] })).toThrow(
      "a: options.backends[0].options.workers: expected a number of at least 1, got 0",
    );
    expect(() => resolve("balanced", { backends: [{ server: "single", optoins: {} }] })).toThrow(
      'a: options.backends[0]: there is no setting "optoins". Did you mean "options"?',
    );
  });

  it("refuses a backend that does not speak HTTP", () => {
    const backends = [{ server: "url", options: { url: "grpc://127.0.0.1:1" } }];
    expect(() => resolve("balanced", { backends })).toThrow(
      'a: options.backends[0].server: expected a server that speaks http, got "url", which speaks grpc',
    );
  });

  it.each([
    ["no such option", z.strictObject({})],
    ["no default for it", z.strictObject({ backends: z.array(z.string()).optional() })],
  ])("refuses a plugin that says it balances and has no backends: %s", (_, options) => {
    const servers = new Map<string, Server>([
      ["./own.mjs", { name: "own", balances: true, options, start: () => Promise.reject(new Error("not started")) }],
    ]);
    const refuse = () =>
      resolveServer({ server: "./own.mjs", options: {} }, servers, (path) => `a: ${formatPath(path)}`);
    expect(refuse).toThrow(ConfigError);
    expect(refuse).toThrow(
      'a: server: the server plugin "./own.mjs" says that it balances, and its options have no list',
    );
  });
});
