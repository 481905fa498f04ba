import { describe, expect, it } from "vitest";
import { haproxyConfig } from "./config.js";
import { haproxyServer } from "./haproxy.js";

const BACKENDS = [
  { name: "first one", url: "http://127.0.0.1:9001", weight: 1 },
  { name: "b", url: "http://127.0.0.1:9002", weight: 3 },
];

const configOf = (options: object): readonly string[] =>
  haproxyConfig(haproxyServer.options.parse(options), BACKENDS, { port: 8080, folder: "{folder}" })
    .split("\n")
    .map((line) => line.trim());

describe("haproxyConfig", () => {
  it.each([
    ["round-robin", "roundrobin"],
    ["weighted-round-robin", "roundrobin"],
    ["least-connections", "leastconn"],
    ["random", "random(1)"],
    ["power-of-two-choices", "random(2)"],
    ["ip-hash", "source"],
  ])("says %s as %s", (policy, algorithm) => {
    const config = configOf({ policy });
    expect(config).toContain(`balance ${algorithm}`);
    expect(config).not.toContain("hash-type consistent");
  });

  it.each([
    ["consistent-hash", "uri"],
    ["consistent-hash:header:X-User-Id", "hdr(x-user-id)"],
    ["consistent-hash:cookie:Session.1", "hash req.cook(Session.1)"],
  ])("says %s as %s, and that keys are to stay", (policy, algorithm) => {
    expect(configOf({ policy })).toEqual(expect.arrayContaining([`balance ${algorithm}`, "hash-type consistent"]));
  });

  it("names the backends with their weights and limits", () => {
    const config = configOf({ maxConnections: 7, keepAlive: 5 });
    expect(config).toContain("server first_one 127.0.0.1:9001 weight 1 maxconn 7 pool-max-conn 5");
    expect(config).toContain("server b 127.0.0.1:9002 weight 3 maxconn 7 pool-max-conn 5");
    expect(config).toContain("timeout queue 10000ms");
  });

  it("keeps connections, or closes each", () => {
    expect(configOf({})).toEqual(expect.arrayContaining(["option http-keep-alive", "http-reuse always"]));
    const once = configOf({ keepAlive: 0 });
    expect(once).toEqual(expect.arrayContaining(["option http-server-close", "http-reuse never"]));
    expect(once).toContain("server b 127.0.0.1:9002 weight 3");
  });

  it("says how many threads and clients", () => {
    const config = configOf({ workers: 3, clientConnections: 99 });
    expect(config).toEqual(expect.arrayContaining(["nbthread 3", "maxconn 99", "bind 127.0.0.1:8080"]));
  });
});
