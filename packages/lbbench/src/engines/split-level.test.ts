import { describe, expect, it } from "vitest";
import { closedConnections } from "../stats/load.js";
import { splitEvenly, splitLevel } from "./split-level.js";

const UP_TO = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe("splitEvenly", () => {
  it("splits every total into parts that differ by at most one, the larger first, and add up", () => {
    for (const total of [0, ...UP_TO(60)]) {
      for (const parts of UP_TO(12)) {
        const shares = splitEvenly(total, parts);
        expect(shares).toHaveLength(parts);
        expect(sum(shares)).toBe(total);
        expect(shares).toEqual(shares.toSorted((a, b) => b - a));
        expect((shares[0] ?? 0) - (shares.at(-1) ?? 0)).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe("splitLevel", () => {
  it("adds up to the connections and requests asked for, with a connection for every generator and a request for every connection", () => {
    for (const connections of UP_TO(25)) {
      for (const generators of UP_TO(9)) {
        for (const requests of [connections, connections + 1, 2 * connections - 1, 1000, 1009].filter(
          (count) => count >= connections,
        )) {
          const shares = splitLevel({ connections, requests }, generators);
          expect(shares).toHaveLength(Math.min(connections, generators));
          expect(sum(shares.map(closedConnections))).toBe(connections);
          expect(sum(shares.map((share) => share.requests ?? Number.NaN))).toBe(requests);
          for (const share of shares) {
            expect(share.connections).toBeGreaterThanOrEqual(1);
            expect(share.requests).toBeGreaterThanOrEqual(closedConnections(share));
          }
        }
      }
    }
  });

  it("deals 10 connections and 1000 requests to 3 generators in proportion", () => {
    expect(splitLevel({ connections: 10, requests: 1000 }, 3)).toEqual([
      { connections: 4, requests: 400 },
      { connections: 3, requests: 300 },
      { connections: 3, requests: 300 },
    ]);
  });

  it("gives every generator the whole time", () => {
    expect(splitLevel({ connections: 5, durationMs: 3000 }, 2)).toEqual([
      { connections: 3, durationMs: 3000 },
      { connections: 2, durationMs: 3000 },
    ]);
  });

  it("gives whole connections to generators where streams share them, no more to any than may, on as few as that takes", () => {
    for (const users of UP_TO(40)) {
      for (const streams of UP_TO(12)) {
        for (const generators of [1, 2, 3, 5]) {
          const shares = splitLevel({ connections: users, requests: 3 * users + 1 }, generators, streams);
          const connections = Math.ceil(users / streams);
          expect(shares).toHaveLength(Math.min(generators, connections));
          expect(sum(shares.map(closedConnections))).toBe(users);
          expect(sum(shares.map((share) => share.requests ?? Number.NaN))).toBe(3 * users + 1);
          expect(sum(shares.map((share) => Math.ceil(closedConnections(share) / streams)))).toBe(connections);
          for (const share of shares) expect(share.requests).toBeGreaterThanOrEqual(closedConnections(share));
        }
      }
    }
  });

  it("tells no more generators of a ramp than there are connections", () => {
    const ramp = { users: 5, durationMs: 1000 };
    expect(splitLevel(ramp, 4, 3)).toEqual([ramp, ramp]);
    expect(splitLevel(ramp, 4)).toHaveLength(4);
  });
});
