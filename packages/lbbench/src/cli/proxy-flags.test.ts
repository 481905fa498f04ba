import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError, DEFAULTS } from "../index.js";
import { readProxyFlags, type ProxyFlags } from "./proxy-flags.js";

const folder = mkdtempSync(join(tmpdir(), "lbbench-proxy-flags-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const backend = ["http://127.0.0.1:9002"];

describe("readProxyFlags", () => {
  it("asks for one process and the defaults when nothing else is said", () => {
    expect(readProxyFlags({ backend }, folder)).toEqual({
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

  it("reads what follows the URL of a backend", () => {
    const { balancer } = readProxyFlags(
      { backend: ["http://a:1 weight=3 name=blue", "unix:/run/b.sock  weight=0.5"] },
      folder,
    );
    expect(balancer.backends).toEqual([
      { url: "http://a:1", weight: 3, name: "blue" },
      { url: "unix:/run/b.sock", weight: 0.5 },
    ]);
  });

  it.each<[string, Partial<ProxyFlags>, object]>([
    ["times", { connectTimeout: "200ms", idleTimeout: "2m" }, { timeouts: { connectMs: 200, idleMs: 120_000 } }],
    ["limits", { maxConnections: "8", queue: "0" }, { limits: { connectionsPerBackend: 8, queuePerBackend: 0 } }],
    ["checks of the usual path", { healthCheck: true }, { health: { active: {} } }],
    [
      "checks of a path",
      { healthCheck: "/up", healthInterval: "1s" },
      { health: { active: { path: "/up", intervalMs: 1000 } } },
    ],
    ["certificates that are not verified", { backendInsecure: true }, { backendTls: { verify: false } }],
    ["the mode and the transport", { mode: "tcp", transport: "http-proxy" }, { mode: "tcp", transport: "http-proxy" }],
  ])("reads %s", (_, flags, expected) => {
    expect(readProxyFlags({ backend, ...flags }, folder).balancer).toMatchObject(expected);
  });

  it("reads certificates from files", () => {
    const [tlsCert, tlsKey] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    writeFileSync(tlsCert, "the certificate");
    writeFileSync(tlsKey, "the key");
    const { balancer } = readProxyFlags({ backend, tlsCert, tlsKey }, folder);
    expect(balancer.tls).toEqual({ cert: "the certificate", key: "the key" });
  });

  it("listens on a Unix socket in place of a port", () => {
    expect(readProxyFlags({ backend, socket: "/run/lb.sock" }, folder).listen).toEqual({ path: "/run/lb.sock" });
  });

  it.each<[string | boolean, string]>([
    [true, "combined"],
    ["combined", "combined"],
    ["json", "json"],
  ])("takes --log %s for %s", (log, format) => {
    expect(readProxyFlags({ backend, log }, folder).logFormat).toBe(format);
  });

  it.each<[Partial<ProxyFlags>, RegExp]>([
    [{ connectTimeout: "5" }, /^--connect-timeout: expected a time such as 500ms/],
    [{ retries: "-1" }, /^--retries: expected a whole number, got "-1"/],
    [{ workers: "two" }, /^--workers: expected a whole number, got "two"/],
    [{ admin: "70000" }, /^--admin: expected a port from 0 to 65535, got "70000"/],
    [{ log: "xml" }, /^--log: expected json or combined, got "xml"/],
    [{ healthInterval: "1s" }, /^--health-interval: there are no health checks; add --health-check/],
    [{ tlsCert: "/nowhere/cert.pem" }, /^--tls-cert: cannot read \/nowhere\/cert.pem: ENOENT/],
    [{ backend: ["http://a weigth=2"] }, /^--backend: expected a URL, .* got "weigth=2" in "http:\/\/a weigth=2"/],
  ])("refuses %o", (flags, message) => {
    const read = () => readProxyFlags({ backend, ...flags }, folder);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
  });

  it("refuses a certificate without its key", () => {
    const tlsCert = join(folder, "alone.pem");
    writeFileSync(tlsCert, "the certificate");
    expect(() => readProxyFlags({ backend, tlsCert }, folder)).toThrow(/expected both or none/);
  });
});
