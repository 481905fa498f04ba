import { describe, expect, it } from "vitest";
import { StartError } from "../system/program.js";
import { balancerProgramOptions, balancerView } from "./balancer-programs.js";
import { renderTemplate } from "./configured-program.js";
import { HAPROXY_TEMPLATE, haproxyView, parseServerStats } from "./haproxy.js";
import { NGINX_TEMPLATE, nginxView } from "./nginx.js";

const BACKENDS = [
  { name: "first one", url: "http://127.0.0.1:9001", weight: 1 },
  { name: "b", url: "http://127.0.0.1:9002", weight: 3 },
];
const [forNginx, forHaproxy] = [balancerProgramOptions("nginx"), balancerProgramOptions("haproxy")];

const linesOf = (template: string, view: object): readonly string[] =>
  renderTemplate(template, { ...view, host: "127.0.0.1", port: 8080, folder: "{folder}" })
    .split("\n")
    .map((line) => line.trim());
const nginx = (options: object): readonly string[] =>
  linesOf(NGINX_TEMPLATE, nginxView(forNginx.parse(options), BACKENDS));
const haproxy = (options: object): readonly string[] =>
  linesOf(HAPROXY_TEMPLATE, haproxyView(forHaproxy.parse(options), BACKENDS));

// That the programs take these for what they are is seen by them themselves: balancer-programs.slow.test.ts.
describe("a configuration", () => {
  it.each([
    ["round-robin", undefined, "roundrobin"],
    ["weighted-round-robin", undefined, "roundrobin"],
    ["least-connections", "least_conn;", "leastconn"],
    ["random", "random;", "random(1)"],
    ["power-of-two-choices", "random two least_conn;", "random(2)"],
    ["ip-hash", "ip_hash;", "source"],
    ["consistent-hash", "hash $uri consistent;", "uri"],
    ["consistent-hash:header:X-User-Id", "hash $http_x_user_id consistent;", "hdr(x-user-id)"],
    ["consistent-hash:cookie:Session_1", "hash $cookie_Session_1 consistent;", "hash req.cook(Session_1)"],
  ])("says %s to nginx as %s, to HAProxy as %s", (policy, method, algorithm) => {
    const first = "server 127.0.0.1:9001 weight=1 max_fails=3 fail_timeout=1s;";
    const lines = nginx({ policy });
    expect(lines[lines.indexOf("upstream backends {") + 1]).toBe(method ?? first);
    expect(haproxy({ policy })).toContain(`balance ${algorithm}`);
    expect(haproxy({ policy }).includes("hash-type consistent")).toBe(policy.startsWith("consistent-hash"));
  });

  it.each([
    [nginx, { maxConnections: 7 }, "server 127.0.0.1:9002 weight=3 max_conns=7 max_fails=3 fail_timeout=1s;"],
    [nginx, { keepAlive: 9 }, "keepalive 9;"],
    // Room for those of clients, as many to backends, and those that are kept.
    [nginx, { clientConnections: 100, keepAlive: 10 }, "worker_connections 212;"],
    [
      haproxy,
      { maxConnections: 7, keepAlive: 5 },
      "server backend-2 127.0.0.1:9002 weight 3 maxconn 7 pool-max-conn 5",
    ],
    [haproxy, { clientConnections: 99 }, "maxconn 99"],
  ])("by %o says %o as %s", (configOf, options, line) => {
    expect(configOf(options)).toContain(line);
  });
});

describe("a backend in a configuration", () => {
  const addressOf = (url: string): string | undefined =>
    balancerView(forNginx.parse({}), [{ name: "a", url, weight: 2 }]).backends[0]?.address;

  it.each([
    ["http://127.0.0.1:9000", "127.0.0.1:9000"],
    ["http://example.org", "example.org:80"],
    ["http://[::1]:9000", "[::1]:9000"],
  ])("at %s has the address %s", (url, address) => {
    expect(addressOf(url)).toBe(address);
  });

  const refused = ["https://127.0.0.1:9000", "http://a;b:80", "http://a'b", "http://a{b}", "http://$x"];
  it.each(refused)("may not be at %s", (url) => {
    expect(() => addressOf(url)).toThrow(StartError);
  });
});

describe("the counts of HAProxy", () => {
  it("are what each server got and what failed on it", () => {
    const answer = "# pxname,svname,stot,econ,eresp,desc,\nbackends,a,7,1,2,,\nbackends,b,0,,,,\n\n";
    const { a, b } = Object.fromEntries(parseServerStats(answer));
    expect([a, b]).toEqual([
      { requests: 7, errors: 3 },
      { requests: 0, errors: 0 },
    ]);
  });

  it.each(["", "Unknown command", '{"a":1}'])("are not %j", (answer) => {
    expect(parseServerStats(answer).get("a")).toBeUndefined();
  });
});
