import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { BackendGroup } from "../model/scenario.js";
import type { Server } from "../plugin.js";
import { builtInServers } from "../servers/built-in-servers.js";
import { checkHttpVersion, expandGrid, protocolOf, resolveTargets, startableServers } from "./targets.js";
import { pluginMap, SERVER_KIND } from "./plugins.js";
import { listWords } from "./config-error.js";

type Given = Parameters<typeof resolveTargets>[0][number];

const resolve = (...given: readonly Given[]) => resolveTargets(given, pluginMap(SERVER_KIND, builtInServers, "."));
const balanced = (options: Record<string, unknown>): Given => ({ name: "a", server: "balanced", options });

describe("targets", () => {
  it("are named by a server, with its default options", async () => {
    expect(await resolve("single")).toEqual([
      { name: "single", server: "single", options: { handler: "hello", port: 0 } },
    ]);
  });

  it("are those of the default sweep by their names, and by the same names of the user's own", async () => {
    const [first] = await resolve("one process");
    expect(first).toEqual({ name: "one process", server: "single", options: { handler: "work:0.1ms", port: 0 } });
    expect(await resolve({ name: "one process", server: "grpc" })).toMatchObject([{ server: "grpc" }]);
  });

  it.each([
    ["http://127.0.0.1:8080", "127.0.0.1:8080", "http://127.0.0.1:8080/"],
    ["HTTP://Example.org/", "example.org", "http://example.org/"],
    ["https://example.org/a?b=c", "example.org/a?b=c", "https://example.org/a?b=c"],
  ])("of the URL %s are named by its host and path", async (text, name, url) => {
    expect(await resolve(text)).toEqual([{ name, server: "url", options: { url } }]);
  });

  it("have the options filled in of whatever stands behind a balancer, at any depth, and are resolved once for all", async () => {
    const inner = { server: "balanced", options: { backends: 2 }, count: 3, name: "inner" };
    const once = await resolve(balanced({ backends: [inner, "cluster"] }));
    const [first, second] = (once[0]?.options["backends"] ?? []) as readonly BackendGroup[];
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
    expect(await resolve(...once)).toEqual(once);
  });

  it.each(["fo!", "htp://x", "", "url", "command", "constructor", "file:///etc/passwd"])("are not %j", async (text) => {
    const startable = startableServers(builtInServers);
    expect(startable).toEqual(expect.arrayContaining(["single", "balanced"]));
    await expect(resolve(text)).rejects.toThrow(
      `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(startable)}) or a name from the config file, got "${text}".`,
    );
  });

  it.each([
    ["no such option", z.strictObject({})],
    ["no default for it", z.strictObject({ backends: z.array(z.string()).optional() })],
  ])("are no plugin that says it balances and has no backends: %s", async (_, options) => {
    const own: Server = { name: "own", balances: true, options, start: () => Promise.reject(new Error("not started")) };
    const servers = pluginMap(SERVER_KIND, [["./own.mjs", own]], ".");
    await expect(resolveTargets([{ name: "a", server: "./own.mjs" }], servers)).rejects.toThrow(
      'targets[0].server: the server plugin "./own.mjs" says that it balances, and its options have no list',
    );
  });
});

describe("what a target speaks", () => {
  const servers = pluginMap(SERVER_KIND, builtInServers, ".");
  const speaks = async (given: Given): Promise<string | undefined> => {
    const [target] = await resolveTargets([given], servers);
    return target && protocolOf(target, servers);
  };

  it.each(["balanced", "nginx", "haproxy", "caddy", "envoy", "traefik"])(
    "is with %s what its backends speak, at any depth",
    async (server) => {
      const over = (...backends: readonly unknown[]): Given => ({ name: "a", server, options: { backends } });
      expect(await speaks({ name: "a", server })).toBe("http");
      expect(await speaks(over("grpc-gateway"))).toBe("http");
      expect(await speaks(over({ server: "grpc", count: 4 }, "grpc://127.0.0.1:1", { url: "grpcs://a/" }))).toBe(
        "grpc",
      );
      expect(await speaks(over({ server: "balanced", options: { backends: ["grpc"] } }))).toBe("grpc");
      expect(await speaks(over("websocket", "ws://127.0.0.1:1", { url: "wss://a/" }))).toBe("websocket");
    },
  );

  it("is with a program what its URL says", async () => {
    const run = (url: string): Given => ({ name: "a", server: "command", options: { command: "serve", url } });
    expect(await speaks(run("grpc://127.0.0.1:{port}"))).toBe("grpc");
    expect(await speaks(run("http://127.0.0.1:{port}"))).toBe("http");
    expect(await speaks(run("ws://127.0.0.1:{port}/chat"))).toBe("websocket");
  });

  it("is http alone behind a balancer that does not tell what it speaks", async () => {
    const own = { ...builtInServers.get("balanced"), name: "own", protocol: undefined } as unknown as Server;
    const known = pluginMap(SERVER_KIND, [...builtInServers, ["own", own]], ".");
    const given = (backend: string): Given => ({ name: "a", server: "own", options: { backends: [backend] } });
    await expect(resolveTargets([given("single")], known)).resolves.toHaveLength(1);
    await expect(resolveTargets([given("grpc")], known)).rejects.toThrow(
      'targets[0] ("a"): options.backends[0].server: expected a server that speaks http, as "own" passes on nothing else, ' +
        'got "grpc", which speaks grpc. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.',
    );
  });
});

describe("HTTP/2", () => {
  const servers = pluginMap(SERVER_KIND, builtInServers, ".");
  const check = async (...given: readonly Given[]): Promise<void> => {
    checkHttpVersion(await resolveTargets(given, servers), "2", servers);
  };
  const relaying = (...backends: readonly unknown[]): Given => balanced({ mode: "tcp", backends });

  it.each<Given>([
    "nginx",
    "haproxy",
    "balanced",
    "grpc",
    "http://127.0.0.1:1/",
    { name: "a", server: "nginx", options: { backends: ["cluster"] } },
    relaying("grpc"),
    relaying("http://127.0.0.1:1/"),
  ])("is sent to %j", async (given) => {
    await expect(check(given)).resolves.toBeUndefined();
  });

  it.each<readonly [Given, string]>([
    ["single", "single"],
    ["cluster", "cluster"],
    ["pool", "pool"],
    ["grpc-gateway", "grpc-gateway"],
    [relaying("single"), "a"],
    [relaying("http://127.0.0.1:1/", "cluster"), "a"],
    [relaying({ server: "balanced", options: { mode: "tcp" } }), "a"],
  ])("is not sent to %j", async (given, name) => {
    await expect(check("nginx", given)).rejects.toThrow(
      `httpVersion (--http2): expected targets that speak HTTP/2, got "${name}". Leave --http2 out, or put a balancer in ` +
        "front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.",
    );
  });

  it("is what a server that speaks nothing else has to be loaded by", async () => {
    const own: Server = {
      name: "own",
      options: z.unknown(),
      httpVersions: () => ["2"],
      start: () => Promise.reject(new Error("not started")),
    };
    const known = pluginMap(SERVER_KIND, [["own", own]], ".");
    const targets = await resolveTargets(["own"], known);
    expect(() => checkHttpVersion(targets, "1.1", known)).toThrow('speak HTTP/1.1, got "own". Use HTTP/2 (--http2).');
  });
});

describe("a grid of options", () => {
  const expand = (grid: Record<string, unknown[]>, options: Record<string, unknown> = {}) =>
    expandGrid({ name: "a", server: "pool", options, grid }, "targets[0]");

  it("makes a target of every combination, the last option varying fastest, and keeps the other options", () => {
    const made = expand({ pool: [8, 16], policy: ["block", "drop-tail"] }, { handler: "hello" });
    expect(made).toEqual(
      [8, 16].flatMap((pool) =>
        ["block", "drop-tail"].map((policy) => ({
          name: `a pool=${pool} policy=${policy}`,
          server: "pool",
          options: { handler: "hello", pool, policy },
          gridPlace: {
            name: "a",
            options: [
              { option: "pool", value: String(pool) },
              { option: "policy", value: policy },
            ],
          },
        })),
      ),
    );
    const plain = { name: "a", server: "pool", options: { pool: 1 } };
    expect(expandGrid(plain, "targets[0]"), "without one").toEqual([plain]);
  });

  it("reaches an option inside another, and leaves the others as they are", () => {
    const options = { backends: [{ server: "pool" }, { server: "single" }] };
    expect(expand({ "backends.0.options.pool": [1, 2] }, options)).toEqual(
      [1, 2].map((pool) => ({
        name: `a pool=${pool}`,
        server: "pool",
        options: { backends: [{ server: "pool", options: { pool } }, { server: "single" }] },
        gridPlace: { name: "a", options: [{ option: "pool", value: String(pool) }] },
      })),
    );
    expect(options).toEqual({ backends: [{ server: "pool" }, { server: "single" }] });
  });

  it("names targets by the whole path where two end alike, leaves out what is the same in all, and touches no prototype", () => {
    const names = expand({ "x.size": [1, 2], "y.size": [3], z: [4, 5] }).map(({ name }) => name);
    expect(names).toEqual(["a x.size=1 z=4", "a x.size=1 z=5", "a x.size=2 z=4", "a x.size=2 z=5"]);
    expect(expand({ "__proto__.polluted": [true] })[0]?.options).not.toHaveProperty("polluted");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  const many = Array.from({ length: 15 }, (_, index) => index);
  it.each<[Record<string, unknown[]>, Record<string, unknown>, string]>([
    [{ "backends.2.count": [1] }, { backends: [{}, {}] }, "expected a number below 2 for a place in the list"],
    [{ "backends.count": [1] }, { backends: 4 }, 'expected the name of an option, got "count" inside 4'],
    [{ a: many, b: many }, {}, 'targets[0] ("a"): grid: expected at most 200 combinations, got 225'],
  ])("is refused: %j", (grid, options, message) => {
    expect(() => expand(grid, options)).toThrow(message);
  });
});
