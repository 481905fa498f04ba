import { describe, expect, it } from "vitest";
import { pickMany } from "../test-support/pick-many.js";
import { examplePool, exampleRequest } from "../testing/example-pool.js";
import { consistentHash } from "./consistent-hash.js";
import { ipHash } from "./ip-hash.js";
import type { PolicyRequest } from "./policy.js";

const KEYS = 10_000;
const policies = [ipHash(), consistentHash(), consistentHash({ key: "header:x-user" })].map(
  (policy, index) => [`${policy.name} ${["on the address", "on the path", "on a header"][index]}`, policy] as const,
);

function movedKeys(before: readonly string[], after: readonly string[]) {
  return before.flatMap((from, index) => (from === after[index] ? [] : [{ from, to: after[index] }]));
}

describe.each(policies)("%s", (_, policy) => {
  const pickAll = (pool: ReturnType<typeof examplePool>) => pickMany(policy.create(), pool, KEYS);
  const even = (count: number) => examplePool(Array.from({ length: count }, () => 1));

  it("sends a key to the same backend always, whatever came before and in whatever order the backends are", () => {
    const expected = pickAll(even(5));
    const picker = policy.create();
    const reversed = even(5).toReversed();
    const backwards = expected.map((__, index) => picker.pick(reversed, exampleRequest(KEYS - 1 - index))?.name);
    expect(backwards.toReversed()).toEqual(expected.map((name) => `backend-${name}`));
  });

  it("moves no more than the newcomer's share when a backend comes, all of it to the newcomer", () => {
    const moved = movedKeys(pickAll(even(9)), pickAll(even(10)));
    expect(new Set(moved.map(({ to }) => to))).toEqual(new Set(["9"]));
    expect(moved.length / KEYS).toBeLessThan(1 / 10 + 0.02);
    expect(moved.length / KEYS).toBeGreaterThan(1 / 10 - 0.02);
  });

  it("moves only the keys of a backend that goes, to all of the others", () => {
    const before = pickAll(even(5));
    const moved = movedKeys(before, pickAll(even(5).filter(({ name }) => name !== "backend-2")));
    expect(moved).toHaveLength(before.filter((name) => name === "2").length);
    for (const other of ["0", "1", "3", "4"]) {
      const part = moved.filter(({ to }) => to === other).length / moved.length;
      expect(Math.abs(part - 1 / 4)).toBeLessThan(0.05);
    }
  });

  it("moves only the keys of a backend while it is not available, and gives them back", () => {
    const picker = policy.create();
    const pool = even(4);
    const before = pickMany(picker, pool, KEYS);
    for (const backend of pool.slice(0, 1)) backend.available = false;
    const moved = movedKeys(before, pickMany(picker, pool, KEYS));
    expect(new Set(moved.map(({ from }) => from))).toEqual(new Set(["0"]));
    for (const backend of pool) backend.available = true;
    expect(pickMany(picker, pool, KEYS)).toEqual(before);
  });

  it("moves keys only to a backend whose weight grows", () => {
    const moved = movedKeys(pickAll(examplePool([1, 1, 1])), pickAll(examplePool([1, 2, 1])));
    expect(new Set(moved.map(({ to }) => to))).toEqual(new Set(["1"]));
    expect(Math.abs(moved.length / KEYS - (1 / 2 - 1 / 3))).toBeLessThan(0.02);
  });
});

describe("consistentHash", () => {
  it("agrees with every other process", () => {
    // Fixed results: a change of them moves the sessions of everybody who updates.
    expect(pickMany(consistentHash().create(), examplePool([1, 2, 3, 4]), 20).join("")).toBe("31220213300012131313");
  });

  it.each([[undefined], [""]])("shares requests by weighted round robin when the header is %j", (value) => {
    const request: PolicyRequest = { headers: { "x-user": value }, socket: {} };
    const picker = consistentHash({ key: "header:x-user" }).create();
    expect(pickMany(picker, examplePool([5, 1, 1]), 7, () => request).join("")).toBe("0010200");
  });
});

describe("ipHash", () => {
  const from = (remoteAddress: string | undefined): PolicyRequest => ({ headers: {}, socket: { remoteAddress } });
  const pool = examplePool(Array.from({ length: 50 }, () => 1));

  it("takes an IPv4 address for the same one when it comes in the form of IPv6", () => {
    const picker = ipHash().create();
    for (let host = 1; host < 100; host++) {
      const plain = picker.pick(pool, from(`192.168.0.${host}`));
      expect(picker.pick(pool, from(`::ffff:192.168.0.${host}`))).toBe(plain);
    }
  });

  it("tells apart clients of one network", () => {
    const picked = pickMany(ipHash().create(), pool, 250, (index) => from(`127.0.0.${index}`));
    expect(new Set(picked).size).toBeGreaterThan(40);
  });

  it("shares requests by weighted round robin when the client has no address", () => {
    expect(pickMany(ipHash().create(), examplePool([2, 1]), 6, () => from(undefined)).join("")).toBe("010010");
  });
});
