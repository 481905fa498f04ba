import { describe, expect, it } from "vitest";
import { checkRequest, type LiveRequest } from "./check-request.js";

const TOKEN = "abcDEF-_0123";
const ADDRESS = { port: 4000, token: TOKEN };

function check({ headers, ...request }: Partial<LiveRequest> = {}, port = 4000) {
  const host = `127.0.0.1:${port}`;
  return checkRequest(
    { method: "GET", url: `/${TOKEN}/`, headers: { host, ...headers }, rawHeaders: ["Host", host], ...request },
    { ...ADDRESS, port },
  );
}

describe("a request of the live page", () => {
  const EVENTS = `/${TOKEN}/events`;

  it.each([
    [`/${TOKEN}/`, "page"],
    [`/${TOKEN}/?x=1`, "page"],
    [EVENTS, "events"],
    [`${EVENTS}?steps=3`, "events"],
    ...["/", "", `/${TOKEN}`, `/${TOKEN.slice(0, -1)}/`, `/${TOKEN}x/`, `/${TOKEN.toLowerCase()}/`].map(nothing),
    ...["/äbcDEF-_0123/", `/x/${TOKEN}/`, `//${TOKEN}/`, `/${TOKEN}//`, `${EVENTS}/`, "*"].map(nothing),
    ...[`/${TOKEN}/../`, `/%61${TOKEN.slice(1)}/`, `http://127.0.0.1:4000/${TOKEN}/`, `/${TOKEN}/a.json`].map(nothing),
  ])("for %j is for %s", (url, asked) => {
    expect(check({ url })).toBe(asked);
    expect(check({ url, method: "HEAD" })).toBe(asked);
  });

  it.each(["127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000"])("may name us %s", (host) => {
    expect(check({ headers: { host } })).toBe("page");
    expect(check({ headers: { host, origin: `http://${host}` } })).toBe("page");
  });

  // A name that another site may have pointed here; it listens at no address of IPv6.
  const names = ["attacker.example:4000", "attacker.example", "127.0.0.1", "127.0.0.1:4001", "127.0.0.1:40000"];
  const others = ["127.0.0.1:4000.attacker.example", "localhost.attacker.example:4000", "0.0.0.0:4000", "[::1]:4000"];
  it.each([...names, ...others, "", undefined])("may not name us %j", (host) => {
    expect(check({ headers: { host } })).toBe(403);
  });

  const near = ["https://127.0.0.1:4000", "http://127.0.0.1:4001", "http://localhost:4000"];
  it.each(["http://attacker.example", ...near, "null", ""])("may not come from %j", (origin) => {
    expect(check({ headers: { origin } })).toBe(403);
    expect(check({ headers: { origin }, url: EVENTS })).toBe(403);
  });

  it("may not have several names, of which only one is looked at", () => {
    const host = "127.0.0.1:4000";
    expect(check({ rawHeaders: ["Host", host, "host", "attacker.example"] })).toBe(403);
    expect(check({ rawHeaders: ["Accept", "host", "Host", host, "X", "host"] })).toBe("page");
  });

  it.each([
    ["cross-site", "no-cors", "image", 403],
    ["cross-site", "no-cors", "script", 403],
    ["same-site", "navigate", "iframe", 403],
    // A link that is followed.
    ["same-site", "navigate", "document", "page"],
    ["cross-site", "navigate", "document", "page"],
    ["same-origin", "cors", "empty", "page"],
    ["none", "cors", "empty", "page"],
  ])("that is %s, to %s, for a %s gets %s", (site, mode, dest, expected) => {
    const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest };
    expect(check({ headers })).toBe(expected);
  });

  it("may leave the port out where that is 80", () => {
    expect(check({ headers: { host: "127.0.0.1", origin: "http://127.0.0.1" } }, 80)).toBe("page");
    expect(check({ headers: { host: "localhost:80" } }, 80)).toBe("page");
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])("may not be a %s, which a token tells", (method) => {
    expect(check({ method })).toBe(405);
    expect(check({ method, url: "/" })).toBe(404);
  });
});

function nothing(url: string): [url: string, asked: number] {
  return [url, 404];
}
