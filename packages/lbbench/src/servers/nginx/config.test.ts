import { describe, expect, it } from "vitest";
import { nginxConfig } from "./config.js";
import { nginxServer } from "./nginx.js";
import { nginxStaticConfig } from "./static-config.js";

const BACKENDS = [
  { name: "a", url: "http://127.0.0.1:9001", weight: 1 },
  { name: "b", url: "http://127.0.0.1:9002", weight: 3 },
];
const PLACE = { port: 8080, folder: "{folder}", user: null };

const lines = (text: string): readonly string[] => text.split("\n").map((line) => line.trim());
const configOf = (options: object, user: string | null = null): readonly string[] =>
  lines(nginxConfig(nginxServer.options.parse(options), BACKENDS, { ...PLACE, user }));

describe("nginxConfig", () => {
  it.each([
    ["round-robin", undefined],
    ["weighted-round-robin", undefined],
    ["least-connections", "least_conn;"],
    ["random", "random;"],
    ["power-of-two-choices", "random two least_conn;"],
    ["ip-hash", "ip_hash;"],
    ["consistent-hash", "hash $uri consistent;"],
    ["consistent-hash:path", "hash $uri consistent;"],
    ["consistent-hash:header:X-User-Id", "hash $http_x_user_id consistent;"],
    ["consistent-hash:cookie:Session_1", "hash $cookie_Session_1 consistent;"],
  ])("says %s as %s", (policy, method) => {
    const config = configOf({ policy });
    const start = config.indexOf("upstream backends {");
    expect(config[start + 1]).toBe(method ?? "server 127.0.0.1:9001 weight=1 max_fails=3 fail_timeout=1s;");
  });

  it("names the backends with their weights and limits", () => {
    const config = configOf({ maxConnections: 7 });
    expect(config).toContain("server 127.0.0.1:9001 weight=1 max_conns=7 max_fails=3 fail_timeout=1s;");
    expect(config).toContain("server 127.0.0.1:9002 weight=3 max_conns=7 max_fails=3 fail_timeout=1s;");
  });

  it("keeps connections, or says that they are not kept", () => {
    const kept = configOf({ keepAlive: 9 });
    expect(kept).toEqual(expect.arrayContaining(["keepalive 9;", 'proxy_set_header Connection "";']));
    const once = configOf({ keepAlive: 0 });
    expect(once).toContain("proxy_set_header Connection close;");
    expect(once.filter((line) => line.startsWith("keepalive ") || line.includes('""'))).toEqual([]);
  });

  it("lets workers share what they know when there are several", () => {
    expect(configOf({ workers: 2 })).toEqual(expect.arrayContaining(["worker_processes 2;", "zone backends 1m;"]));
    expect(configOf({ workers: 1 }).filter((line) => line.startsWith("zone"))).toEqual([]);
  });

  it("has room for the connections of clients, as many to backends, and those that are kept", () => {
    expect(configOf({ clientConnections: 100, keepAlive: 10 })).toContain("worker_connections 212;");
  });

  it("chooses a user only where it is told to", () => {
    expect(configOf({}, "root root")[0]).toBe("user root root;");
    expect(configOf({})[0]).toBe("worker_processes 1;");
  });

  it("renders a template of the user's over the same view", () => {
    const text = "{{#backends}}{{name}}={{address}}*{{weight}} {{/backends}}at {{host}}:{{port}} in {{folder}}";
    const rendered = nginxConfig(nginxServer.options.parse({}), BACKENDS, PLACE, { text, path: "/my.conf" });
    expect(rendered).toBe("a=127.0.0.1:9001*1 b=127.0.0.1:9002*3 at 127.0.0.1:8080 in {folder}");
    expect(() =>
      nginxConfig(nginxServer.options.parse({}), BACKENDS, PLACE, { text: "{{nothing}}", path: "/my.conf" }),
    ).toThrow(/template \/my\.conf cannot be used: expected one of host, .*, got "nothing"/);
  });
});

describe("nginxStaticConfig", () => {
  it("says its limits and where the files are", () => {
    const settings = { root: "/srv/my site", workers: 2, clientConnections: 64, keepAliveRequests: 10, backlog: 5 };
    expect(lines(nginxStaticConfig(settings, PLACE))).toEqual(
      expect.arrayContaining([
        "worker_processes 2;",
        "worker_connections 66;",
        "keepalive_requests 10;",
        "listen 127.0.0.1:8080 backlog=5;",
        'root "/srv/my site";',
      ]),
    );
  });
});
