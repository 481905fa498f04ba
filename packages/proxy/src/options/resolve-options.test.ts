import { describe, expect, it } from "vitest";
import { type BalancerOptions, BalancerOptionsError } from "./options.js";
import { resolveBackends, resolveOptions } from "./resolve-options.js";

const good = { url: "http://127.0.0.1:4001" };

it("refuses a backend of HTTP/1.1 where backends are asked by gRPC, whenever it comes", () => {
  const h2c = [{ url: "h2c://127.0.0.1:4001" }];
  const { backends, ...speaker } = resolveOptions({ backends: h2c, health: { active: { grpc: "" } } });
  expect(resolveBackends(h2c, speaker)).toEqual(backends);
  for (const url of [good.url, "unix:/run/a.sock"]) {
    const message = `health.active.grpc: expected backends of h2c:// or https://, by which gRPC is spoken; got "${url}".`;
    expect(() => resolveBackends([{ url }], speaker)).toThrow(new BalancerOptionsError(message));
  }
});

describe("resolveOptions", () => {
  it("names a backend after its host and port, gives it weight 1, and takes round robin, no header and no log", () => {
    const resolved = resolveOptions({ backends: [good, { url: "http://b", weight: 0.5 }] });
    const { policy, backendHeader, onRequest, backends } = resolved;
    expect([policy.name, backendHeader, onRequest]).toEqual(["round-robin", false, undefined]);
    expect(backends).toMatchObject([{ name: "127.0.0.1:4001", weight: 1 }, { weight: 0.5 }]);
  });

  it.each([
    ["http://127.0.0.1:4001", { hostname: "127.0.0.1", port: 4001, basePath: "" }],
    ["http://localhost", { host: "localhost", hostname: "localhost", port: 80, basePath: "" }],
    ["https://localhost:80", { host: "localhost:80", port: 80 }],
    ["http://[::1]:4001/", { host: "[::1]:4001", hostname: "::1", port: 4001, basePath: "" }],
    ["unix:/run/a.sock", { host: "localhost", hostname: "localhost", port: 0, basePath: "" }],
    ["http://127.0.0.1:4001/api/", { hostname: "127.0.0.1", port: 4001, basePath: "/api" }],
  ])("takes %s apart", (url, expected) => {
    expect(resolveOptions({ backends: [{ url }] }).backends[0]).toMatchObject(expected);
  });

  const twice = [
    { ...good, name: "a" },
    { url: "http://b", name: "a" },
  ];
  it.each<[string, unknown, RegExp]>([
    ["no options", undefined, /^backends: expected a list with at least one backend/],
    ["no backends", { backends: [] }, /^backends: expected a list with at least one backend/],
    ["a URL that is none", { backends: [{ url: "localhost:x" }] }, /^backends\[0\]\.url: expected .* "localhost:x"/],
    [
      "a weight of 0",
      { backends: [{ ...good, weight: 0 }] },
      /^backends\[0\]\.weight: expected a number from 0\.001 to 1000000, got 0\. To give a backend nothing, leave it out/,
    ],
    ...[0.0009, 1_000_001, 1e308, Infinity].map((weight): [string, unknown, RegExp] => [
      `the weight ${weight}`,
      { backends: [{ ...good, weight }] },
      /^backends\[0\]\.weight: expected a number from 0\.001 to 1000000, got \S+\.$/,
    ]),
    ["a weight that is none", { backends: [{ ...good, weight: NaN }] }, /^backends\[0\]\.weight: expected a number/],
    ["no URL", { backends: [{}] }, /^backends\[0\]\.url: expected a URL .* undefined/],
    ["another protocol", { backends: [good, { url: "ftp://a" }] }, /^backends\[1\]\.url: .*"ftp:\/\/a"/],
    ["a slip of the pen", { backends: [{ ...good, weigth: 2 }] }, /^backends\[0\]\.weigth: there is no such option/],
    ...["app", "/a\0b", `/${"a".repeat(107)}`].map((path): [string, unknown, RegExp] => [
      `the Unix socket ${JSON.stringify(path)}`,
      { backends: [{ url: `unix:${path}` }] },
      /^backends\[0\]\.url: expected "unix:" and an absolute path of at most 107 bytes/,
    ]),
    ["a query", { backends: [{ url: "http://a/?x=1" }] }, /Leave out the user name, the password, the query/],
    ["a password", { backends: [{ url: "http://a:b@c/" }] }, /Leave out the user name, the password, the query/],
    ["a URL twice", { backends: [good, good] }, /^backends\[1\]\.name: .* "127\.0\.0\.1:4001" for the second time/],
    ["a name twice", { backends: twice }, /"a" for the second time/],
    ["an empty name", { backends: [{ ...good, name: " " }] }, /^backends\[0\]\.name: expected a non-empty text/],
    ["a name with a line break", { backends: [{ ...good, name: "a\r\nb" }] }, /can stand in a header/],
    ["a word that is no option", { polcy: "random" }, /^polcy: there is no such option/],
    ["an unknown transport", { transport: "h3" }, /^transport: expected "wire" or "http-proxy", got "h3"/],
    ["another way to be full", { whenFull: "refuse" }, /^whenFull: expected "next" or "wait", got "refuse"/],
    ["a time of nothing", { timeouts: { idleMs: 0 } }, /^timeouts\.idleMs: expected a whole number, 1/],
    ["an unknown limit", { limits: { body: 1 } }, /^limits\.body: there is no such option/],
    ["a check without a path", { health: { active: { path: "x" } } }, /^health\.active\.path: /],
    [
      "outliers by a word",
      { health: { outliers: "yes" } },
      /^health\.outliers: expected an object, true or false; got "yes"/,
    ],
    [
      "a share above 1",
      { health: { outliers: { errorShare: 2 } } },
      /^health\.outliers\.errorShare: .* from 0 to 1, got 2/,
    ],
    ["the factor 1", { health: { outliers: { slowFactor: 1 } } }, /^health\.outliers\.slowFactor: .* above 1.*; got 1/],
    [
      "TLS with backends in mode tcp",
      { mode: "tcp", backendTls: { verify: false } },
      /^backendTls: expected none in mode tcp, which passes on what a client says/,
    ],
    ["a key without a certificate", { tls: { key: "k" } }, /^tls\.cert: expected PEM/],
    ["a header that is none", { backendHeader: "x y" }, /^backendHeader: expected the name of a header/],
    ["a policy that is none", { policy: "random" }, /^policy: expected an object \{ name, create\(\) \}/],
    ["a log that is no function", { onRequest: true }, /^onRequest: expected a function, got true/],
  ])("refuses %s", (_, options, message) => {
    const all = options === undefined ? options : { backends: [good], ...(options as object) };
    const resolve = () => resolveOptions(all as BalancerOptions);
    expect(resolve).toThrow(BalancerOptionsError);
    expect(resolve).toThrow(message);
  });
});
