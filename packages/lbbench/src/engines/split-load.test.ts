import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MixedRequest, RequestSpec } from "../model/scenario.js";
import { closedConnections } from "../stats/load.js";
import { rampStartsUs } from "../stats/ramp-starts.js";
import { aRequest } from "../test-support/fixtures.js";
import { mixRequests } from "./request-mix.js";
import { splitLevel } from "./split-level.js";
import { takeTurns } from "./take-turns.js";
import { urlWithPath } from "./url-with-path.js";
import { userStartsUs } from "./user-starts.js";

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

  it("is dealt out in proportion, and the whole time to each", () => {
    expect(splitLevel({ connections: 10, requests: 1000 }, 3)).toEqual([
      { connections: 4, requests: 400 },
      { connections: 3, requests: 300 },
      { connections: 3, requests: 300 },
    ]);
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
    const load = { level: { users: 5, durationMs: 9000 }, ramp: { from: 1, riseMs: 4000, steps: null } };
    expect(userStartsUs(load, { index: 1, of: 2 })).toEqual([1_000_000, 3_000_000]);
    expect(userStartsUs({ level: { connections: 3, requests: 9 } }, { index: 1, of: 2 })).toEqual([0, 0, 0]);
  });
});

describe("turns by weight", () => {
  const turnsOf = (weights: readonly number[], count: number): readonly number[] =>
    Array.from({ length: count }, takeTurns(weights));

  it("never leave an entry a whole turn ahead of its share or behind it", () => {
    const weights = fc.oneof(
      fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 20 }),
      fc.array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 2, maxLength: 10 }),
    );
    fc.assert(
      fc.property(weights, (all) => {
        const taken = all.map(() => 0);
        let farthest = 0;
        for (const [turn, chosen] of turnsOf(all, 500).entries()) {
          taken[chosen] = (taken[chosen] ?? 0) + 1;
          for (const [index, weight] of all.entries()) {
            farthest = Math.max(farthest, Math.abs((taken[index] ?? 0) - ((turn + 1) * weight) / sum(all)));
          }
        }
        expect(farthest).toBeLessThan(1 + 1e-9);
      }),
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

  it("that is none gives always the very same request, at the URL of the load", () => {
    const load = { url: "http://shop.test/own?a=b", request: REQUEST, keepAlive: true };
    const { first, pick: next } = mixRequests(load, ONLY);
    expect([next(), next()].map((picked) => picked === first)).toEqual([true, true]);
    expect(first.bytes.toString()).toMatch(/^GET \/own\?a=b HTTP\/1\.1\r\nHost: shop\.test\r\n/);
    expect(first.entry).toBe(0);
  });

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
    ["http://shop.test/", "/\\other.test/a", "http://shop.test//other.test/a"],
    ["http://shop.test/", "/%2e%2E/a?b=%zz", "http://shop.test/a?b=%zz"],
  ])("goes to the host of %s with the path %s", (base, path, expected) => {
    expect(urlWithPath(new URL(base), path).href).toBe(expected);
  });
});
