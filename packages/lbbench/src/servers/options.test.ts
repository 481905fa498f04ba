import { describe, expect, it } from "vitest";
import { builtInServers } from "./built-in-servers.js";

const ONE = { name: null, server: "single", options: {}, count: 1, weight: 1 };

describe("options of the servers", () => {
  it.each([
    ["single", {}, { handler: "hello", port: 0 }],
    ["cluster", {}, { handler: "hello", port: 0, workers: 4 }],
    [
      "balanced",
      {},
      { port: 0, policy: "round-robin", backends: [{ ...ONE, options: { handler: "hello" }, count: 4 }] },
    ],
    [
      "balanced",
      { backends: ["cluster", "http://127.0.0.1:1/", { name: "a", server: "single", weight: 2 }], policy: "random" },
      {
        backends: [
          { ...ONE, server: "cluster" },
          { ...ONE, server: "url", options: { url: "http://127.0.0.1:1/" } },
          { ...ONE, name: "a", weight: 2 },
        ],
      },
    ],
    ...["balanced", "nginx", "haproxy"].map((name): [string, object, object] => [
      name,
      { backends: [{ name: "a", url: "http://127.0.0.1:1/", weight: 2 }], policy: "weighted-round-robin" },
      { backends: [{ ...ONE, name: "a", weight: 2, server: "url", options: { url: "http://127.0.0.1:1/" } }] },
    ]),
    ["pool", {}, { pool: 4, queue: 10, policy: "drop-tail", refusal: "status", handler: "hello", port: 0 }],
    ["pool", { policy: "simple" }, { pool: 1, queue: 0, policy: "simple" }],
    ["grpc", {}, { handler: "hello", refuseWith: "UNAVAILABLE", port: 0 }],
    ["grpc-gateway", {}, { handler: "hello", channels: 1, port: 0 }],
    [
      "haproxy",
      { backends: ["grpc://127.0.0.1:1"] },
      { backends: [{ ...ONE, server: "url", options: { url: "grpc://127.0.0.1:1" } }] },
    ],
    ["command", { command: "x", url: "grpc://127.0.0.1:{port}" }, { url: "grpc://127.0.0.1:{port}" }],
    ["command", { command: "node server.js" }, { url: "http://127.0.0.1:{port}", readyPath: "/", cwd: "." }],
    ["url", { url: "http://127.0.0.1:8080/" }, { url: "http://127.0.0.1:8080/" }],
    ["nginx", {}, { policy: "round-robin", workers: 1, keepAlive: 1024, program: "nginx", port: 0 }],
    ["haproxy", {}, { policy: "round-robin", workers: 1, keepAlive: 1024, program: "haproxy", port: 0 }],
  ])("of %s are filled in", (name, given, filled) => {
    expect(builtInServers.get(name)?.options.parse(given)).toMatchObject(filled);
  });

  it.each<[string, object, string]>([
    ["single", { port: 70_000 }, "port"],
    ["single", { handler: "no-such-handler" }, "handler"],
    ["single", { workers: 2 }, "workers"],
    ["balanced", { policy: "constructor:path" }, "policy"],
    ["balanced", { backends: [] }, "backends"],
    ["balanced", { backends: [{ server: "single", weight: 0 }] }, "weight"],
    ["balanced", { backends: [{ url: "http://127.0.0.1:1/", weight: 0 }] }, "weight"],
    ["balanced", { backends: [{ url: "http://127.0.0.1:1/", server: "single" }] }, "unrecognized_keys"],
    ["balanced", { backends: ["single"], handler: "json" }, "handler"],
    ["balanced", { backends: ["a", "a"].map((name) => ({ server: "single", name })) }, "different name"],
    ["haproxy", { backends: ["single", "single", { name: "backend-2", server: "single" }] }, "different name"],
    [
      "nginx",
      {
        backends: [
          { name: "a", server: "single", count: 2 },
          { name: "a-1", server: "single" },
        ],
      },
      "different name",
    ],
    ["balanced", { backends: ["http://127.0.0.1:1/api"] }, "without a path"],
    ["caddy", { backends: [{ url: "http://127.0.0.1:1/?a=1" }] }, "without a path"],
    ["balanced", { backends: ["single", { server: "single", weight: 3 }] }, "weighted-round-robin"],
    ["pool", { pool: 0 }, "pool"],
    ["grpc", { maxCalls: 0 }, "maxCalls"],
    ["grpc-gateway", { channels: 0 }, "channels"],
    ["grpc-gateway", { deadlineMs: 2 ** 31 }, "deadlineMs"],
    ["pool", { retryAfterS: 86_401 }, "retryAfterS"],
    ["command", {}, "command"],
    ["command", { command: [] }, "command"],
    ["command", { command: "x", url: "127.0.0.1:{port}" }, "url"],
    ["command", { command: "x", url: "http://[{port}" }, "url"],
    ["command", { command: "x", port: 0 }, "port"],
    ["command", { command: "x", readyPath: "ready" }, "readyPath"],
    ["command", { command: "x", files: { "../a": "a" } }, "without folders"],
    ["command", { command: "x", files: { a: 1 } }, "files"],
    ["command", { command: "x", templates: { "../a": "a" } }, "without folders"],
    ["command", { command: "x", handler: "hello" }, "without backends"],
    ["command", { command: "x", backends: [] }, "backends"],
    ["balanced", { tls: true, mode: "tcp" }, "mode tcp"],
    ["url", { url: "ftp://127.0.0.1/" }, "url"],
    ...["nginx", "haproxy"].flatMap((program): [string, object, string][] => [
      [program, { policy: "round-robbin" }, "round-robin, weighted-round-robin"],
      [program, { policy: "constructor" }, "expected one of"],
      [program, { policy: "./my-policy.mjs" }, "can do round-robin"],
      [program, { policy: "consistent-hash:header:a'b" }, "expected a header whose name"],
      [program, { policy: "consistent-hash:cookie:a'b" }, "expected a cookie whose name"],
      [program, { policy: "weighted-round-robin", backends: [{ server: "single", weight: 0.5 }] }, "1 to 256"],
      [program, { policy: "weighted-round-robin", backends: [{ server: "single", weight: 257 }] }, "1 to 256"],
      [program, { backends: ["single", { server: "single", weight: 2 }] }, "weighted-round-robin"],
      [program, { maxConnections: 0 }, "maxConnections"],
      [program, { template: "" }, "template"],
      [program, { retries: 1 }, "retries"],
    ]),
  ])("of %s may not be %o", (name, given, place) => {
    const parsed = builtInServers.get(name)?.options.safeParse(given);
    expect(JSON.stringify(parsed?.error?.issues)).toContain(place);
  });
});
