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

describe("checkRequest", () => {
  it.each([
    [`/${TOKEN}/`, "page"],
    [`/${TOKEN}/?x=1`, "page"],
    [`/${TOKEN}/events`, "events"],
    [`/${TOKEN}/events?steps=3`, "events"],
  ])("knows %s", (url, asked) => {
    expect(check({ url })).toBe(asked);
    expect(check({ url, method: "HEAD" })).toBe(asked);
  });

  it.each([
    "/",
    "",
    `/${TOKEN}`,
    `/${TOKEN.slice(0, -1)}/`,
    `/${TOKEN}x/`,
    `/${TOKEN.toLowerCase()}/`,
    "/äbcDEF-_0123/",
    `/x/${TOKEN}/`,
    `//${TOKEN}/`,
    `/${TOKEN}//`,
    `/${TOKEN}/events/`,
    `/${TOKEN}/result.json`,
    `/${TOKEN}/../`,
    `/%61${TOKEN.slice(1)}/`,
    `http://127.0.0.1:4000/${TOKEN}/`,
    "*",
  ])("has nothing at %j", (url) => {
    expect(check({ url })).toBe(404);
  });

  it.each(["127.0.0.1:4000", "localhost:4000", "LOCALHOST:4000"])("answers to the name %s", (host) => {
    expect(check({ headers: { host } })).toBe("page");
    expect(check({ headers: { host, origin: `http://${host}` } })).toBe("page");
  });

  it.each([
    "attacker.example:4000",
    "attacker.example",
    "127.0.0.1",
    "127.0.0.1:4001",
    "127.0.0.1:40000",
    "127.0.0.1:4000.attacker.example",
    "localhost.attacker.example:4000",
    "0.0.0.0:4000",
    // It listens there at no address.
    "[::1]:4000",
    "",
    undefined,
  ])("refuses the name %j, which another site may have pointed here", (host) => {
    expect(check({ headers: { host } })).toBe(403);
  });

  it.each([
    "http://attacker.example",
    "https://127.0.0.1:4000",
    "http://127.0.0.1:4001",
    "http://localhost:4000",
    "null",
    "",
  ])("refuses the origin %j", (origin) => {
    expect(check({ headers: { origin } })).toBe(403);
    expect(check({ headers: { origin }, url: `/${TOKEN}/events` })).toBe(403);
  });

  it("refuses several names, of which only one is looked at", () => {
    const host = "127.0.0.1:4000";
    expect(check({ rawHeaders: ["Host", host, "host", "attacker.example"] })).toBe(403);
    expect(check({ rawHeaders: ["Accept", "host", "Host", host, "X", "host"] })).toBe("page");
  });

  it.each(["cross-site", "same-site"])("refuses what a page asks for from elsewhere: %s", (site) => {
    const sent = (mode: string, dest: string) =>
      check({ headers: { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest } });
    expect(sent("no-cors", "image")).toBe(403);
    expect(sent("no-cors", "script")).toBe(403);
    expect(sent("navigate", "iframe")).toBe(403);
    expect(sent("navigate", "document"), "a link that is followed").toBe("page");
  });

  it.each(["same-origin", "none"])("answers its own page and its reader: %s", (site) => {
    expect(check({ headers: { "sec-fetch-site": site, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" } })).toBe(
      "page",
    );
  });

  it("takes the port that a browser leaves out for 80", () => {
    expect(check({ headers: { host: "127.0.0.1", origin: "http://127.0.0.1" } }, 80)).toBe("page");
    expect(check({ headers: { host: "localhost:80" } }, 80)).toBe("page");
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get"])("does nothing but read: %s", (method) => {
    expect(check({ method })).toBe(405);
  });

  it("tells nobody without the token which methods there are", () => {
    expect(check({ method: "POST", url: "/" })).toBe(404);
  });
});
