import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { readDocument } from "@lbbench/test-support/repository.js";
import { StartError } from "../system/program.js";
import { balancerProgramOptions, balancerView, countOn, type BalancerProgram } from "./balancer-program.js";
import { BALANCER_PROGRAMS } from "./balancer-programs.js";
import { caddy as caddyRow } from "./caddy.js";
import { envoy as envoyRow } from "./envoy.js";
import { haproxy as haproxyRow, parseServerStats } from "./haproxy.js";
import { nginx as nginxRow } from "./nginx.js";
import { renderTemplate } from "./templates.js";
import { traefik as traefikRow } from "./traefik.js";

const BACKENDS = [
  { name: "first one", url: "http://127.0.0.1:9001", weight: 1 },
  { name: "b", url: "http://127.0.0.1:9002", weight: 3 },
];
const HTTP1 = { httpVersion: "1.1" } as const;

const SERVICES = BACKENDS.map(({ url, ...rest }) => ({ ...rest, url: url.replace("http", "grpc") }));

/** The lines of a configuration, without what stands before and after. */
function linesOf(
  row: BalancerProgram,
  options: object = {},
  backends: Parameters<typeof balancerView>[2] = BACKENDS,
  clients: Parameters<typeof balancerView>[3] = HTTP1,
): readonly string[] {
  const view = balancerView(row, balancerProgramOptions(row).parse(options), backends, clients);
  const [template = ""] = Object.values(row.templates);
  return renderTemplate(template, { ...view, port: 8080, adminPort: 8081, folder: "{folder}" })
    .split("\n")
    .map((line) => line.trim());
}
const nginx = (options: object): readonly string[] => linesOf(nginxRow, options);
const haproxy = (options: object): readonly string[] => linesOf(haproxyRow, options);

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

describe("a configuration for WebSockets", () => {
  const sockets = BACKENDS.map(({ url, ...rest }) => ({ ...rest, url: url.replace("http", "ws") }));

  it("has nginx pass the upgrade on, and wait as long for messages as the balancer of lbbench", () => {
    const [plain, lines] = [nginx({}), linesOf(nginxRow, {}, sockets)];
    const upgrade = ["proxy_set_header Upgrade $http_upgrade;", "proxy_set_header Connection upgrade;"];
    const idle = ["proxy_send_timeout 3600000ms;", "proxy_read_timeout 3600000ms;"];
    expect(lines.filter((line) => !plain.includes(line))).toEqual([...upgrade, ...idle]);
  });

  it("has Envoy take upgrades to WebSocket alone", () => {
    const [plain, lines] = [linesOf(envoyRow, {}, BACKENDS), linesOf(envoyRow, {}, sockets)];
    expect(lines.filter((line) => !plain.includes(line))).toEqual([
      "stream_idle_timeout: 3600s",
      "upgrade_configs: [{ upgrade_type: websocket }]",
    ]);
  });

  it.each([haproxyRow, caddyRow, traefikRow])("is no other one for $name, which passes every upgrade on", (row) => {
    expect(linesOf(row, {}, sockets)).toEqual(linesOf(row));
  });
});

describe("a configuration for HTTP/2", () => {
  const http2 = { httpVersion: "2" } as const;

  it("has nginx take HTTP/2 of clients, and send HTTP/1.1 to backends", () => {
    const plain = linesOf(nginxRow, {}, BACKENDS, HTTP1);
    const lines = linesOf(nginxRow, {}, BACKENDS, http2);
    const listen = "listen 127.0.0.1:8080 backlog=4096";
    expect(lines).toContain(`${listen} http2;`);
    expect(lines.map((line) => line.replace(" http2;", ";"))).toEqual(plain);
    expect(plain).toEqual(expect.arrayContaining([`${listen};`, "proxy_pass http://backends;"]));
  });

  it("is no other one for HAProxy, which takes both versions at one port", () => {
    const lines = linesOf(haproxyRow, {}, BACKENDS, http2);
    expect(lines).toEqual(linesOf(haproxyRow, {}, BACKENDS, HTTP1));
  });

  it.each([HTTP1, http2])("passes on gRPC by directives of that alone, asked for %o", (clients) => {
    const ours = linesOf(nginxRow, {}, SERVICES, clients);
    expect(ours).toEqual(
      expect.arrayContaining([
        "listen 127.0.0.1:8080 backlog=4096 http2;",
        "server 127.0.0.1:9001 weight=1 max_fails=3 fail_timeout=1s;",
        "grpc_pass grpc://backends;",
        "grpc_set_header Host $http_host;",
        "grpc_set_header X-Forwarded-For $remote_addr;",
        "grpc_connect_timeout 5000ms;",
        "grpc_next_upstream error timeout;",
      ]),
    );
    // nginx makes a folder for what proxy_pass keeps, whether it is used or not.
    expect(ours.filter((line) => line.startsWith("proxy_"))).toEqual(["proxy_temp_path proxy;"]);
    const theirs = linesOf(haproxyRow, {}, SERVICES, clients);
    expect(theirs.filter((line) => line.startsWith("server "))).toEqual([
      "server backend-1 127.0.0.1:9001 proto h2 weight 1 pool-max-conn 1024",
      "server backend-2 127.0.0.1:9002 proto h2 weight 3 pool-max-conn 1024",
    ]);
  });
});

describe("a backend in a configuration", () => {
  const addressOf = (url: string): string | undefined =>
    balancerView(nginxRow, balancerProgramOptions(nginxRow).parse({}), [{ name: "a", url, weight: 2 }], HTTP1)
      .backends[0]?.address;

  it.each([
    ["http://127.0.0.1:9000", "127.0.0.1:9000"],
    ["http://example.org", "example.org:80"],
    ["http://[::1]:9000", "[::1]:9000"],
    ["grpc://127.0.0.1:50051", "127.0.0.1:50051"],
  ])("at %s has the address %s", (url, address) => {
    expect(addressOf(url)).toBe(address);
  });

  const refused = [
    "https://127.0.0.1:9000",
    "grpcs://127.0.0.1:9000",
    "http://a;b:80",
    "http://a'b",
    "http://a{b}",
    "http://$x",
  ];
  it.each(refused)("may not be at %s", (url) => {
    expect(() => addressOf(url)).toThrow(StartError);
  });
});

describe.each(BALANCER_PROGRAMS.map((row) => ({ name: row.name, row })))("what $name cannot do", ({ row }) => {
  it.each([
    ["maxConnections", { maxConnections: 1 }, "maxConnections"],
    ["someKeepAlive", { keepAlive: 5 }, "keepAlive"],
    ["noKeepAlive", { keepAlive: 0 }, "keepAlive"],
    ["tls", { tls: true }, "tls"],
    ["workers", { workers: 2 }, "workers"],
  ] as const)("is refused before anything is started: %s", (lack, given, path) => {
    const { error } = balancerProgramOptions(row).safeParse(given);
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual(
      row.lacks?.includes(lack) === true ? [path] : undefined,
    );
  });
});

it("what each can do stands in the document", () => {
  const document = readDocument("docs/servers.md");
  const rows = [
    ...document.matchAll(/^\| (?:`([\w:-]+)`|(counts)[^|]*|`(keepAlive)` of[^|]*) +((?:\| (?:yes|no) +){5})\|$/gm),
  ];
  const said = new Map(
    rows.map(([, policy, counts, kept, cells = ""]) => [policy ?? counts ?? kept, cells.match(/yes|no/g)]),
  );
  const can = (has: (row: BalancerProgram) => boolean) => BALANCER_PROGRAMS.map((row) => (has(row) ? "yes" : "no"));
  const policies = [...new Set(BALANCER_PROGRAMS.flatMap((row) => Object.keys(row.policies)))];
  const common = policies.filter((policy) => BALANCER_PROGRAMS.every((row) => policy in row.policies));
  const [, ofAll = ""] = /^All have (.*?)\. /m.exec(document) ?? [];
  expect([...ofAll.matchAll(/`([\w-]+)`/g)].map(([, name]) => name).toSorted()).toEqual(common.toSorted());
  expect(Object.fromEntries(said)).toEqual({
    ...Object.fromEntries(
      policies
        .filter((policy) => !common.includes(policy))
        .map((policy) => [policy, can((row) => policy in row.policies)]),
    ),
    maxConnections: can(({ lacks }) => lacks?.includes("maxConnections") !== true),
    keepAlive: can(({ lacks }) => lacks?.includes("someKeepAlive") !== true),
    counts: can(({ name }) => name === "haproxy" || name === "envoy"),
  });
});

describe("the counts of HAProxy", () => {
  it("are what each server got and what failed on it", () => {
    const answer = "# pxname,svname,scur,stot,econ,eresp,status,\nbackends,a,2,7,1,2,UP,\nbackends,b,0,0,,,DRAIN,\n\n";
    const { a, b } = Object.fromEntries(parseServerStats(answer));
    expect([a, b]).toEqual([
      { share: { requests: 7, errors: 3 }, isDrained: false, active: 2 },
      { share: { requests: 0, errors: 0 }, isDrained: true, active: 0 },
    ]);
  });

  it.each(["", "Unknown command", '{"a":1}'])("are not %j", (answer) => {
    expect(parseServerStats(answer).get("a")).toBeUndefined();
  });

  it("go on where they begin at 0 again, each for itself, and are asked for one after the other", async () => {
    const told = [
      { a: { requests: 5, errors: 1, inFlight: 3 }, b: { requests: 2, inFlight: 0 } },
      { a: { requests: 1, errors: 0, inFlight: 2 }, b: { requests: 3, inFlight: 1 } },
      { a: { requests: 4, errors: 2, inFlight: 0 }, b: { requests: 3, inFlight: 1 } },
    ];
    const asked: number[] = [];
    let open = 0;
    const count = countOn(async () => {
      open += 1;
      const answer = told[asked.length];
      asked.push(open);
      await setImmediate();
      open -= 1;
      return answer ?? {};
    });
    expect(await Promise.all(told.map(count))).toEqual([
      told[0],
      { a: { requests: 6, errors: 1, inFlight: 2 }, b: { requests: 3, inFlight: 1 } },
      { a: { requests: 9, errors: 3, inFlight: 0 }, b: { requests: 3, inFlight: 1 } },
    ]);
    expect(asked).toEqual([1, 1, 1]);
  });

  it("go on after a question without an answer", async () => {
    const answers = [
      async () => ({ a: { requests: 5 } }),
      () => Promise.reject(new Error("no socket")),
      async () => ({ a: { requests: 1 } }),
    ];
    const count = countOn(() => (answers.shift() as (typeof answers)[0])());
    expect(await Promise.allSettled([count(), count(), count()])).toMatchObject([
      { value: { a: { requests: 5 } } },
      { reason: { message: "no socket" } },
      { value: { a: { requests: 6 } } },
    ]);
  });
});
