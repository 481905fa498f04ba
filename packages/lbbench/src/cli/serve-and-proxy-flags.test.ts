import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { DEFAULTS } from "../index.js";
import { readProxyFlags, type ProxyFlags } from "./proxy-flags.js";
import { readServeFlags, type ServeFlags } from "./serve-flags.js";

const backend = ["http://127.0.0.1:9002"];

const read = (flags: Partial<ProxyFlags> = {}, folder = "/") => readProxyFlags({ backend, ...flags }, folder);

describe("the flags of lbbench proxy", () => {
  it("ask for one process and the defaults when nothing else is said", () => {
    expect(read()).toEqual({
      balancer: {
        backends: [{ url: "http://127.0.0.1:9002" }],
        policy: DEFAULTS.policy,
        timeouts: {},
        limits: {},
        health: {},
        backendTls: {},
      },
      listen: { port: DEFAULTS.proxyPort, host: DEFAULTS.host },
      workers: 1,
      adminPort: undefined,
      logFormat: undefined,
    });
  });

  const balancer = (expected: object): object => ({ balancer: expected });
  it.each<[Partial<ProxyFlags>, object]>([
    [
      { backend: ["http://a:1 weight=3 name=blue", "unix:/run/b.sock  weight=0.5"] },
      balancer({
        backends: [
          { url: "http://a:1", weight: 3, name: "blue" },
          { url: "unix:/run/b.sock", weight: 0.5 },
        ],
      }),
    ],
    [{ connectTimeout: "200ms", idleTimeout: "2m" }, balancer({ timeouts: { connectMs: 200, idleMs: 120_000 } })],
    [{ maxConnections: "8", queue: "0" }, balancer({ limits: { connectionsPerBackend: 8, queuePerBackend: 0 } })],
    [{ healthCheck: true }, balancer({ health: { active: {} } })],
    [{ healthCheck: "/up", healthInterval: "1s" }, balancer({ health: { active: { path: "/up", intervalMs: 1000 } } })],
    [{ backendInsecure: true }, balancer({ backendTls: { verify: false } })],
    [{ mode: "tcp", transport: "http-proxy" }, balancer({ mode: "tcp", transport: "http-proxy" })],
    [{ socket: "/run/lb.sock" }, { listen: { path: "/run/lb.sock" } }],
    [{ log: true }, { logFormat: "combined" }],
    [{ log: "json" }, { logFormat: "json" }],
  ])("are read: %o", (flags, expected) => {
    expect(read(flags)).toMatchObject(expected);
  });

  it("name files of certificates from the working folder", () => {
    const folder = temporaryFolder({ cert: "the cert", key: "the key" });
    expect(read({ tlsCert: "cert", tlsKey: "key" }, folder).balancer.tls).toEqual({ cert: "the cert", key: "the key" });
  });
});

describe("the flags of lbbench serve", () => {
  const common = { port: 8080, host: "127.0.0.1", handler: "hello" };
  it.each<[string, ServeFlags, object]>([
    ["single", {}, common],
    ["cluster", {}, { ...common, workers: 4 }],
    ["pool", {}, common],
    ["grpc", { maxCalls: "5" }, { ...common, maxCalls: 5 }],
    [
      "pool",
      { pool: "8", queue: "0", policy: "drop-head", refuseByClosing: true, admin: "0", handler: "cpu:1ms", port: "0" },
      {
        ...common,
        port: 0,
        handler: "cpu:1ms",
        pool: 8,
        queue: 0,
        policy: "drop-head",
        refusal: "close",
        adminPort: 0,
      },
    ],
  ])("are read: %s %o", (kind, flags, options) => {
    expect(readServeFlags(kind, flags)).toEqual({ kind, options });
  });
});
