import { describe, expect, it } from "vitest";
import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import { mixRequests } from "./request-mix.js";
import { aRequest } from "../test-support/fixtures.js";

const REQUEST = aRequest();

function anEntry(path: string, weight: number, change: Partial<RequestSpec> = {}, bodies?: string[]): MixedRequest {
  return { name: path, weight, request: { ...REQUEST, path, ...change }, bodies: bodies ?? null };
}

function pick(mix: readonly MixedRequest[], count: number, place = { index: 0, of: 1 }) {
  const requests = mixRequests({ url: "http://shop.test/own", request: REQUEST, mix, keepAlive: true }, place);
  return Array.from({ length: count }, requests.pick);
}

const ONLY = { index: 0, of: 1 };

describe("mixRequests", () => {
  it("always gives the very same request without a mix, at the URL of the load", () => {
    const { first, pick: next } = mixRequests(
      { url: "http://shop.test/own?a=b", request: REQUEST, keepAlive: true },
      ONLY,
    );
    expect([next(), next()].map((picked) => picked === first)).toEqual([true, true]);
    expect(first.bytes.toString()).toMatch(/^GET \/own\?a=b HTTP\/1\.1\r\nHost: shop\.test\r\n/);
    expect(first.entry).toBe(0);
  });

  it("gives the entries as often as their weights say, each with its own path and expectation", () => {
    const picked = pick([anEntry("/a", 2, { expectStatus: "404", expectBody: "no" }), anEntry("/b", 1)], 3);
    expect(picked.map(({ entry, url }) => [entry, url.href])).toEqual([
      [0, "http://shop.test/a"],
      [0, "http://shop.test/a"],
      [1, "http://shop.test/b"],
    ]);
    expect(picked.map(({ isExpected }) => isExpected(404))).toEqual([true, true, false]);
    expect(picked.map(({ expectBody }) => expectBody?.toString())).toEqual(["no", "no", undefined]);
  });

  it("gives bodies in turn, with their length, and begins again after the last", () => {
    const picked = pick([anEntry("/", 1, { method: "HEAD" }, ["ab", "c"])], 3);
    expect(picked.map(({ bytes }) => bytes.toString().replace(/^[^]*(Content-Length)/, "$1"))).toEqual([
      "Content-Length: 2\r\n\r\nab",
      "Content-Length: 1\r\n\r\nc",
      "Content-Length: 2\r\n\r\nab",
    ]);
    expect(picked.map(({ request, isHead }) => [request.body, isHead])).toEqual([
      ["ab", true],
      ["c", true],
      ["ab", true],
    ]);
  });

  it("deals bodies out to the generators, so that together they send each once before any comes again", () => {
    const bodies = ["0", "1", "2", "3", "4", "5", "6"];
    const taken = [0, 1, 2].map((index) =>
      pick([anEntry("/", 1, {}, bodies)], 4, { index, of: 3 }).map(({ request }) => request.body),
    );
    expect(taken).toEqual([
      ["0", "3", "6", "2"],
      ["1", "4", "0", "3"],
      ["2", "5", "1", "4"],
    ]);
    expect(pick([anEntry("/", 1, {}, ["x"])], 1, { index: 4, of: 5 })[0]?.request.body).toBe("x");
  });

  it("refuses a mix of nothing", () => {
    expect(() => pick([], 1)).toThrow("Expected a mix of at least one request");
    expect(() => pick([anEntry("/", 1, {}, [])], 1)).toThrow("Expected at least one body");
  });
});
