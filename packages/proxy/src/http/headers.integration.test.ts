import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBalancer } from "../create-balancer.js";
import type { BalancerOptions } from "../options/options.js";
import { temporaryFolder } from "../test-support/health-servers.js";
import { startBalancer } from "../test-support/servers.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { plainAnswer, startWireBackend } from "../test-support/wire-backend.js";
import { wireClient } from "../test-support/wire-client.js";
import { valuesOf } from "../test-support/wire-parse.js";
import { onTestFinished } from "vitest";

type Options = Partial<BalancerOptions>;

/** Sends one request and returns its lines at the backend and the answer at the client. */
async function passOn(options: Options, request: string, answer = plainAnswer("ok")) {
  const backend = await startWireBackend(() => answer);
  const { port } = await startBalancer({ backends: [{ url: backend.url }], ...options });
  const text = await wireClient(port, request).closed();
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first] = backend.requests();
  return {
    target: first?.target,
    sent: first?.lines ?? [],
    status: Number(head.slice(9, 12)),
    answered: head.split("\r\n").slice(1),
    body: rest.join("\r\n\r\n"),
  };
}

/** A GET with these headers that closes its connection. */
function get(...lines: string[]): string {
  return ["GET / HTTP/1.1", "Host: shop.test:81", ...lines, "Connection: close", "", ""].join("\r\n");
}

function without(lines: readonly string[], ...names: string[]): string[] {
  return lines.filter((line) => !names.includes((line.split(":")[0] ?? "").toLowerCase()));
}

const OWN = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port", "forwarded", "via"];
const HOP = ["connection", "date"];

describe.each(TRANSPORTS)("the headers of a request by %s", (transport) => {
  it("reach the backend as they were spelled, in their order and on lines of their own", async () => {
    const { sent } = await passOn({ transport }, get("X-One: 1", "x-TWO: a", "X-Three: 3", "x-TWO: b", "x-TWO: a"));
    expect(valuesOf(sent, "x-two")).toEqual(["a", "b", "a"]);
    const spelled = without(sent, ...OWN, ...HOP, "host").map((line) => line.split(":")[0]);
    expect([...new Set(spelled)]).toEqual(["X-One", "x-TWO", "X-Three"]);
  });

  it("keep their Cookies, be they on one line or two", async () => {
    const { sent } = await passOn({ transport }, get("Cookie: a=1", "Cookie: b=2"));
    expect(valuesOf(sent, "cookie").join("; ")).toBe("a=1; b=2");
  });

  it("keep bytes above ASCII", async () => {
    const { sent } = await passOn({ transport }, get("X-Name: J\xf6rg \xfe\xff", "X-Utf: \xc3\xa9"));
    expect([valuesOf(sent, "x-name"), valuesOf(sent, "x-utf")]).toEqual([["J\xf6rg \xfe\xff"], ["\xc3\xa9"]]);
  });

  it("may be called like something that every object has", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "__defineGetter__"];
    const { sent } = await passOn({ transport }, get(...names.flatMap((name) => [`${name}: 1`, `${name}: 2`])));
    for (const name of names) expect([name, valuesOf(sent, name)]).toEqual([name, ["1", "2"]]);
  });

  it("lose those of the client's connection, also those that Connection names", async () => {
    const hop = ["Keep-Alive: timeout=9", "Proxy-Connection: keep-alive", "TE: trailers", "Trailer: X-Sum"];
    const more = [
      "Proxy-Authorization: Basic eDp5",
      "X-Hop: 1",
      "x-hop: 2",
      "X-Kept: 1",
      "Connection: X-Hop,  x-other,,TE",
    ];
    const { sent } = await passOn({ transport }, get(...hop, ...more));
    expect(without(sent, ...OWN, ...HOP, "host")).toEqual(["X-Kept: 1"]);
    expect(valuesOf(sent, "connection").join("")).toMatch(/^(?:keep-alive)?$/i);
  });

  it("keep what frames and addresses the request, whatever Connection names", async () => {
    const named = "Connection: close, Host, Content-Length, Transfer-Encoding, Via, X-Forwarded-For, Forwarded";
    const bytes = `POST / HTTP/1.1\r\nHost: shop.test\r\n${named}\r\nContent-Length: 2\r\n\r\nhi`;
    const { sent } = await passOn({ transport }, bytes);
    expect(valuesOf(sent, "host")).toEqual(["shop.test"]);
    expect(valuesOf(sent, "content-length")).toEqual(["2"]);
    expect(valuesOf(sent, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(valuesOf(sent, "via")).toEqual(["1.1 lbbench"]);
  });

  it("tell who asked, and believe nothing that the client says of it", async () => {
    const lies = [
      "X-Forwarded-For: 6.6.6.6",
      "x-forwarded-proto: https",
      "X-Forwarded-Host: evil",
      "Forwarded: for=6.6.6.6",
    ];
    const { sent } = await passOn({ transport }, get(...lies, "X-Forwarded-Port: 1", "Via: 1.1 before"));
    expect(OWN.map((name) => valuesOf(sent, name))).toEqual([
      ["127.0.0.1"],
      ["http"],
      ["shop.test:81"],
      ["81"],
      ['for=127.0.0.1;host="shop.test:81";proto=http'],
      ["1.1 before, 1.1 lbbench"],
    ]);
  });

  it("add to what an earlier balancer said on request", async () => {
    const before = [
      "X-Forwarded-For: 1.1.1.1",
      "X-Forwarded-For: 2.2.2.2",
      "X-Forwarded-Proto: https",
      "Forwarded: for=1.1.1.1",
    ];
    const { sent } = await passOn({ transport, forwarded: "append", via: "edge" }, get(...before));
    expect(OWN.map((name) => valuesOf(sent, name))).toEqual([
      ["1.1.1.1, 2.2.2.2, 127.0.0.1"],
      ["https"],
      ["shop.test:81"],
      ["81"],
      ['for=1.1.1.1, for=127.0.0.1;host="shop.test:81";proto=http'],
      ["1.1 edge"],
    ]);
  });

  it("stay as they are on request", async () => {
    const before = ["X-Forwarded-For: 1.1.1.1", "Forwarded: for=1.1.1.1", "Via: 1.0 before"];
    const { sent } = await passOn({ transport, forwarded: "off", via: false }, get(...before));
    expect(OWN.map((name) => valuesOf(sent, name))).toEqual([["1.1.1.1"], [], [], [], ["for=1.1.1.1"], ["1.0 before"]]);
  });

  it.each([
    ["replace", [], ["for=unknown;host=a;proto=http"]],
    ["append", ["1.1.1.1"], ["for=1.1.1.1, for=unknown;host=a;proto=http"]],
  ] as const)("say of a client at a Unix socket that it is unknown (%s)", async (forwarded, addresses, nodes) => {
    const backend = await startWireBackend();
    const balancer = createBalancer({ transport, forwarded, backends: [{ url: backend.url }] });
    const path = join(await temporaryFolder(), "front.sock");
    await balancer.listen({ path });
    onTestFinished(() => balancer.close({ graceMs: 0 }));
    const lines = "X-Forwarded-For: 1.1.1.1\r\nForwarded: for=1.1.1.1\r\nConnection: close\r\n";
    expect(await wireClient(path, `GET / HTTP/1.1\r\nHost: a\r\n${lines}\r\n`).closed()).toMatch(/^HTTP\/1\.1 200 /);
    const sent = backend.requests()[0]?.lines ?? [];
    expect([valuesOf(sent, "x-forwarded-for"), valuesOf(sent, "forwarded")]).toEqual([addresses, nodes]);
  });

  it("give the address of an IPv6 client as each header wants it", async () => {
    const backend = await startWireBackend();
    const balancer = createBalancer({ transport, backends: [{ url: backend.url }] });
    const { port } = await balancer.listen({ host: "::1" });
    onTestFinished(() => balancer.close({ graceMs: 0 }));
    await wireClient({ host: "::1", port }, get()).closed();
    const sent = backend.requests()[0]?.lines ?? [];
    expect(valuesOf(sent, "x-forwarded-for")).toEqual(["::1"]);
    expect(valuesOf(sent, "forwarded")).toEqual(['for="[::1]";host="shop.test:81";proto=http']);
  });

  it("take the host from a target that is a URL", async () => {
    const bytes = "GET http://Other.test:82?q HTTP/1.1\r\nX-A: 1\r\nHost: shop.test\r\nConnection: close, host\r\n\r\n";
    const { target, sent } = await passOn({ transport }, bytes);
    expect([target, valuesOf(sent, "host"), valuesOf(sent, "x-forwarded-host")]).toEqual([
      "/?q",
      ["Other.test:82"],
      ["Other.test:82"],
    ]);
  });

  it("have a Host even if a client of HTTP/1.0 sent none", async () => {
    const { sent, status } = await passOn({ transport }, "GET / HTTP/1.0\r\n\r\n");
    expect([status, valuesOf(sent, "host")]).toEqual([200, [expect.stringMatching(/^127\.0\.0\.1:\d+$/)]]);
  });

  it("are refused with 431 when they are too long", async () => {
    const { status, sent } = await passOn({ transport, limits: { headBytes: 2000 } }, get(`X-A: ${"a".repeat(3000)}`));
    expect([status, sent]).toEqual([431, []]);
  });
});

describe.each(TRANSPORTS)("the headers of an answer by %s", (transport) => {
  const ask = (answer: string, options: Options = {}) => passOn({ transport, ...options }, get(), answer);

  it("reach the client as they were spelled, in their order and on lines of their own", async () => {
    const lines = [
      "Date: today",
      "Set-Cookie: a=1",
      "X-MIXED: 1",
      "set-cookie: b=2",
      "x-a: 1",
      "Set-Cookie: a=1",
      "x-a: 2",
    ];
    const { answered, body } = await ask(plainAnswer("ok", ...lines));
    expect(answered).toEqual([...lines, "Content-Length: 2", "Connection: close"]);
    expect(body).toBe("ok");
  });

  it.each([
    ["no blank", "X-A:1", "X-A: 1"],
    ["many blanks", "X-A:  \t 1 \t", "X-A: 1"],
    ["an empty value", "X-A:", "X-A: "],
    ["bytes above ASCII", "X-A: J\xf6rg \xc3\xa9\xff", "X-A: J\xf6rg \xc3\xa9\xff"],
    ["a name that every object has", "__proto__: 1", "__proto__: 1"],
    ["another such name", "constructor: 1", "constructor: 1"],
  ])("keep their meaning with %s", async (_, line, passed) => {
    const { answered } = await ask(plainAnswer("ok", "X-Before: 1", line, "X-After: 2"));
    const relevant = without(answered, "date", "content-length", "connection");
    expect(relevant.map((text) => text.replace(/:\s*/, ": ").trimEnd())).toEqual([
      "X-Before: 1",
      passed.trimEnd(),
      "X-After: 2",
    ]);
  });

  it("lose those of the backend's connection, also those that Connection names", async () => {
    const hop = ["Keep-Alive: timeout=5", "Proxy-Connection: a", "Proxy-Authenticate: Basic", "Upgrade: h2c", "TE: a"];
    const more = ["X-Hop: 1", "X-Kept: 1", "Connection: keep-alive, x-hop", "x-hop: 2"];
    const { answered } = await ask(plainAnswer("ok", ...hop, ...more));
    expect(without(answered, "date", "content-length", "connection")).toEqual(["X-Kept: 1"]);
    expect(valuesOf(answered, "connection")).toEqual(["close"]);
  });

  it("keep the framing, whatever Connection names", async () => {
    const { answered, body } = await ask(plainAnswer("ok", "Connection: Content-Length, Transfer-Encoding, Date"));
    expect([valuesOf(answered, "content-length"), body]).toEqual([["2"], "ok"]);
  });

  it("are left out where the balancer names the backend itself", async () => {
    const { answered } = await ask(plainAnswer("ok", "X-BACKEND: a lie"), { backendHeader: "x-backend" });
    expect(valuesOf(answered, "x-backend")).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/)]);
  });

  it("keep a Content-Length behind two thousand others", async () => {
    const { answered, body } = await ask(plainAnswer("ok", ...Array.from({ length: 2100 }, () => "a:")));
    expect([valuesOf(answered, "content-length"), body]).toEqual([["2"], "ok"]);
  });

  it.each([20_000, 3_000_000])("make a 502 when they have %i bytes", async (bytes) => {
    const { status } = await ask(plainAnswer("ok", `X-A: ${"a".repeat(bytes)}`));
    expect(status).toBe(502);
  });

  it("may be as long as the limit says", async () => {
    const { answered } = await ask(plainAnswer("ok", `X-A: ${"a".repeat(30_000)}`), { limits: { headBytes: 40_000 } });
    expect(valuesOf(answered, "x-a")[0]).toHaveLength(30_000);
  });
});
