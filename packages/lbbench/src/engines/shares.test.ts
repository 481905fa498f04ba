import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import { closedConnections } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-starts.js";
import { aRequest } from "../test-support/fixtures.js";
import { mixRequests, urlWithPath } from "./requests.js";
import { splitLevel, userStartsUs } from "./shares.js";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("a level that is split over generators", () => {
  it("keeps its connections, users and requests, none too few for a generator, and whole connections where streams share them", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        (users, more, generators, streams) => {
          const shares = splitLevel({ connections: users, requests: users + more }, generators, streams);
          const connections = Math.ceil(users / streams);
          expect(shares).toHaveLength(Math.min(generators, connections));
          expect(sum(shares.map(closedConnections))).toBe(users);
          expect(sum(shares.map(({ requests = Number.NaN }) => requests))).toBe(users + more);
          expect(sum(shares.map((share) => Math.ceil(closedConnections(share) / streams)))).toBe(connections);
          for (const share of shares) expect(share.requests).toBeGreaterThanOrEqual(closedConnections(share));
        },
      ),
    );
  });

  it("has its whole time in each", () => {
    expect(splitLevel({ connections: 5, durationMs: 3000 }, 2)).toEqual([
      { connections: 3, durationMs: 3000 },
      { connections: 2, durationMs: 3000 },
    ]);
    const ramp = { users: 5, durationMs: 1000 };
    expect(splitLevel(ramp, 4, 3)).toEqual([ramp, ramp]);
  });

  it("starts every user of a ramp once, and those of each generator as the whole rises", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.integer({ min: 1, max: 16 }),
        (from, others, generators) => {
          const users = from + others;
          const of = Math.min(generators, users);
          const ramp = { from, riseMs: 30_000, steps: null };
          const level = { users, durationMs: 40_000 };
          const shares = Array.from({ length: of }, (_, index) => userStartsUs({ level, ramp }, { index, of }));
          expect(shares.flat().toSorted((a, b) => a - b)).toEqual(rampStartsUs(users, ramp));
          expect(Math.min(...shares.map(({ length }) => length))).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe("a mix of requests", () => {
  const REQUEST = aRequest();
  const ONLY = { index: 0, of: 1 };

  const anEntry = (
    path: string,
    weight: number,
    change: Partial<RequestSpec> = {},
    bodies?: string[],
  ): MixedRequest => ({
    name: path,
    weight,
    request: { ...REQUEST, path, ...change },
    bodies: bodies ?? null,
  });
  const pick = (mix: readonly MixedRequest[], count: number, place = ONLY) => {
    const requests = mixRequests({ url: "http://shop.test/own", request: REQUEST, mix, keepAlive: true }, place);
    return Array.from({ length: count }, requests.pick);
  };

  it("deals bodies out in turn, with their length, so that generators send each once before any comes again", () => {
    const bodies = ["0", "1", "2", "3", "4", "5", "bytes"];
    const taken = [0, 1, 2].map((index) =>
      pick([anEntry("/", 1, { method: "HEAD" }, bodies)], 4, { index, of: 3 }).map(({ request, bytes, isHead }) => {
        expect(isHead).toBe(true);
        expect(bytes.toString()).toMatch(new RegExp(`Content-Length: ${request.body?.length}\r\n\r\n${request.body}$`));
        return request.body;
      }),
    );
    expect(taken).toEqual([
      ["0", "3", "bytes", "2"],
      ["1", "4", "0", "3"],
      ["2", "5", "1", "4"],
    ]);
    expect(pick([anEntry("/", 1, {}, ["x"])], 1, { index: 4, of: 5 })[0]?.request.body).toBe("x");
  });

  it.each([
    ["http://127.0.0.1:8080/", "/cart?of=me", "http://127.0.0.1:8080/cart?of=me"],
    ["https://me:secret@shop.test/own?path=1#here", "/cart", "https://me:secret@shop.test/cart"],
    ["http://[::1]:8080", "/a b?c d", "http://[::1]:8080/a%20b?c%20d"],
    ["http://shop.test/", "/a#b", "http://shop.test/a"],
    ["http://shop.test/", "//other.test/a", "http://shop.test//other.test/a"],
    ["http://shop.test/", "/%2e%2E/a?b=%zz", "http://shop.test/a?b=%zz"],
  ])("goes to the host of %s with the path %s", (base, path, expected) => {
    expect(urlWithPath(new URL(base), path).href).toBe(expected);
  });
});
