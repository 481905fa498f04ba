import { describe, expect, it } from "vitest";
import { BalancerOptionsError } from "../options/options.js";
import { countEach, pickMany } from "../test-support/pick-many.js";
import { examplePool, exampleRequest } from "../testing/example-pool.js";
import { keyReader, type HashKey } from "./hashed.js";
import { builtInPolicies, parsePolicy } from "./parse-policy.js";
import type { PolicyRequest } from "./policy.js";

const bare: PolicyRequest = { headers: {}, socket: {} };

/** A pool with these weights, and so much in flight; `undefined` for a backend that is not available. */
function poolOf(weights: readonly number[], inFlight: readonly (number | undefined)[] = []) {
  const pool = examplePool(weights);
  for (const [index, backend] of pool.entries()) {
    backend.inFlight = inFlight[index] ?? 0;
    backend.available = !(index in inFlight) || inFlight[index] !== undefined;
  }
  return pool;
}

/** The numbers of the backends that a policy picks one after the other. */
function picks(
  text: string,
  pool: ReturnType<typeof examplePool>,
  times: number,
  requestOf?: (at: number) => PolicyRequest,
) {
  return pickMany(parsePolicy(text).create(), pool, times, requestOf).join("");
}

describe("a policy as a text", () => {
  it.each([
    ["", /^policy: expected one of round-robin, .*, consistent-hash; got ""\.$/],
    ["constructor", /^policy: expected one of .*; got "constructor"\.$/],
    ["round-robin:path", /^policy "round-robin:path": round-robin: expected no options, got "key"\.$/],
    [
      "random:42",
      /^policy "random:42": expected "path", .* "seed:NUMBER" or "decay:TIME" .* after the name and a colon; got "42"\.$/,
    ],
    [
      "peak-ewma:decay:5",
      /^policy "peak-ewma:decay:5": expected .* "decay:TIME" \(such as 500ms or 5s\).*; got "decay:5"\.$/,
    ],
    ["peak-ewma:decay:0s", /^policy "peak-ewma:decay:0s": decayMs: expected a whole number, 1 or above; got 0\.$/],
    ["peak-ewma:decay:5s:path", /peak-ewma: expected no option but "decayMs" and "seed", got "key"\.$/],
    ["power-of-two-choices:decay:5s", /power-of-two-choices: expected no option but "seed", got "decayMs"\.$/],
    ["random:seed:4294967296", /seed: expected a whole number from 0 to 4294967295, got 4294967296\.$/],
    ["consistent-hash:header", /key: expected "path", "header:NAME" or "cookie:NAME".*; got "header"\.$/],
    ["consistent-hash:header:x user", /key: expected .*; got "header:x user"\.$/],
    ["consistent-hash:seed:1", /consistent-hash: expected no option but "key", got "seed"\.$/],
  ])("may not be %j, and is told what was expected", (text, message) => {
    expect(() => parsePolicy(text)).toThrow(BalancerOptionsError);
    expect(() => parsePolicy(text)).toThrow(message);
  });
});

describe("the turns", () => {
  it.each([
    ["round-robin", "are strict, whatever the weights", [1, 5, 2], 7, "0120120"],
    ["weighted-round-robin", "are spread over time as nginx does it", [5, 1, 1], 14, "00102000010200"],
    ["weighted-round-robin", "follow weights that are no whole numbers", [0.5, 1.5], 8, "10111011"],
  ])("of %s %s", (text, _, weights, times, expected) => {
    expect(picks(text, poolOf(weights), times)).toBe(expected);
  });

  it("of round-robin go past a backend that is out, and back to it in its turn", () => {
    const picker = parsePolicy("round-robin").create();
    const pool = poolOf([1, 1, 1, 1], [0, undefined]);
    expect(pickMany(picker, pool, 6).join("")).toBe("023023");
    for (const backend of pool) backend.available = true;
    expect(pickMany(picker, pool, 5).join("")).toBe("01230");
  });

  it("of weighted-round-robin follow a weight that changes, and keep what is due when the list changes", () => {
    const picker = parsePolicy("weighted-round-robin").create();
    const pool = poolOf([1, 1]);
    pickMany(picker, pool, 10);
    for (const backend of pool.slice(0, 1)) backend.weight = 3;
    expect(countEach(pickMany(picker, pool, 400))).toEqual({ 0: 300, 1: 100 });
    const other = parsePolicy("weighted-round-robin").create();
    const lists = [poolOf([1, 1, 1]), poolOf([1, 1, 1]).toReversed(), poolOf([1, 1, 1, 1])];
    expect(lists.map((list) => pickMany(other, list, 1).join("")).join("")).toBe("021");
  });
});

describe("the least and the greatest weight", () => {
  const weighted = [...builtInPolicies.keys()].filter((name) => name !== "round-robin");

  it.each(weighted)("are shared out as any other: %s", (name) => {
    const text = /random|least|two/.test(name) ? `${name}:seed:5` : name;
    const expectShares = (weights: readonly number[], expected: readonly number[]): void => {
      const counts = countEach(picks(text, poolOf(weights), 10_000).split(""));
      for (const [index, share] of expected.entries()) {
        expect(Math.abs((counts[index] ?? 0) / 10_000 - share)).toBeLessThan(0.02);
      }
    };
    expectShares([0.001, 0.001, 0.002], [0.25, 0.25, 0.5]);
    expectShares([1_000_000, 1_000_000, 500_000], [0.4, 0.4, 0.2]);
    expectShares([1_000_000, 0.001, 1_000_000], [0.5, 0, 0.5]);
  });

  it("are given their turns exactly, and owe nothing by them when they change", () => {
    const picker = parsePolicy("weighted-round-robin").create();
    const pool = poolOf([1_000_000, 1000, 0.001, 1_000_000]);
    expect(countEach(pickMany(picker, pool, 200_100))).toEqual({ 0: 100_000, 1: 100, 3: 100_000 });
    for (const backend of pool) backend.weight = 1;
    expect(countEach(pickMany(picker, pool, 400))).toEqual({ 0: 100, 1: 100, 2: 100, 3: 100 });
  });
});

describe("what is in flight", () => {
  it.each([
    ["least-connections", "the one with the least is taken", [1, 1, 1], [3, 1, 2], { 1: 1 }],
    ["least-connections", "it is compared with the weight", [1, 4, 2], [3, 8, 5], { 1: 1 }],
    ["least-connections:seed:1", "one of equals is drawn", [1, 1, 1], [2, 9, 2], { 0: 0.5, 2: 0.5 }],
    ["least-connections:seed:1", "one of equals is drawn by weight", [1, 3], [1, 3], { 0: 0.25, 1: 0.75 }],
    ["power-of-two-choices", "the less loaded of two is taken", [1, 1], [5, 1], { 1: 1 }],
    ["power-of-two-choices", "it is compared with the weight", [4, 1], [4, 2], { 0: 1 }],
    // The idle one is in two of the three pairs.
    ["power-of-two-choices:seed:1", "two different ones are drawn", [1, 1, 1], [9, 5, 0], { 1: 1 / 3, 2: 2 / 3 }],
  ])("decides by %s: %s", (text, _, weights, inFlight, shares) => {
    const counts = countEach(picks(text, poolOf(weights, inFlight), 3000).split(""));
    expect(Object.keys(counts)).toEqual(Object.keys(shares));
    for (const [name, share] of Object.entries(shares))
      expect(Math.abs((counts[name] ?? 0) / 3000 - share)).toBeLessThan(0.05);
  });
});

describe("chance", () => {
  it.each(["random", "least-connections", "power-of-two-choices"])("is that of the seed in %s", (name) => {
    const pick = (seed: number) => picks(`${name}:seed:${seed}`, examplePool([1, 1, 1]), 100);
    expect(pick(7)).toBe(pick(7));
    expect(pick(7)).not.toBe(pick(8));
  });
});

describe.each(["ip-hash", "consistent-hash", "consistent-hash:header:x-user"])("%s", (text) => {
  const KEYS = 10_000;
  const pickAll = (pool: ReturnType<typeof examplePool>) => picks(text, pool, KEYS);
  const even = (count: number) => examplePool(Array.from({ length: count }, () => 1));
  /** From where to where keys move, and the share of each of these ways in all keys. */
  const moves = (before: string, after: string): Record<string, number> => {
    const counts = countEach(
      before.split("").flatMap((from, index) => (from === after[index] ? [] : [`${from}${after[index]}`])),
    );
    return Object.fromEntries(Object.entries(counts).map(([way, count]) => [way, count / KEYS]));
  };
  const sum = (shares: Record<string, number>): number => Object.values(shares).reduce((all, share) => all + share, 0);

  it("sends a key to the same backend always, whatever came before and in whatever order the backends are", () => {
    const backwards = picks(text, even(5).toReversed(), KEYS, (index) => exampleRequest(KEYS - 1 - index));
    expect(backwards.split("").toReversed().join("")).toBe(pickAll(even(5)));
  });

  it("moves only the share of a backend that comes, goes, is out for a time or grows", () => {
    const comes = moves(pickAll(even(9)), pickAll(even(10)));
    expect(Object.keys(comes).every((way) => way.endsWith("9"))).toBe(true);
    expect(sum(comes)).toBeCloseTo(1 / 10, 1);
    const goes = moves(pickAll(even(5)), pickAll(even(5).filter(({ name }) => name !== "backend-2")));
    expect(Object.keys(goes)).toEqual(expect.arrayContaining(["20", "21", "23", "24"]));
    for (const [way, share] of Object.entries(goes)) {
      expect([way[0], Math.abs(share - 1 / 20) < 0.01]).toEqual(["2", true]);
    }
    const picker = parsePolicy(text).create();
    const pool = even(4);
    const before = pickMany(picker, pool, KEYS).join("");
    for (const backend of pool.slice(0, 1)) backend.available = false;
    const left = moves(before, pickMany(picker, pool, KEYS).join(""));
    expect(Object.keys(left).every((way) => way.startsWith("0"))).toBe(true);
    for (const backend of pool) backend.available = true;
    expect(pickMany(picker, pool, KEYS).join("")).toBe(before);
    const grows = moves(pickAll(poolOf([1, 1, 1])), pickAll(poolOf([1, 2, 1])));
    expect(Object.keys(grows).toSorted()).toEqual(["01", "21"]);
    expect(Math.abs(sum(grows) - (1 / 2 - 1 / 3))).toBeLessThan(0.02);
  });
});

describe("a hash", () => {
  it("agrees with that of every other process", () => {
    // Fixed results: a change of them moves the sessions of all users who update.
    expect(picks("consistent-hash", examplePool([1, 2, 3, 4]), 20)).toBe("31220213300012131313");
  });

  const from = (remoteAddress: string | undefined): PolicyRequest => ({ headers: {}, socket: { remoteAddress } });
  it("of an address is the same in the form of IPv6, and another one for each client of a network", () => {
    const pool = examplePool(Array.from({ length: 10 }, () => 1));
    const plain = picks("ip-hash", pool, 250, (index) => from(`192.168.0.${index}`));
    expect(picks("ip-hash", pool, 250, (index) => from(`::ffff:192.168.0.${index}`))).toBe(plain);
    expect(new Set(plain.split("")).size).toBe(10);
  });

  it.each([
    ["ip-hash", from("10.0.0.1"), true],
    ["ip-hash", from(undefined), false],
    ["consistent-hash:header:x-user", { ...bare, headers: { "x-user": "ann" } }, true],
    ["consistent-hash:header:x-user", { ...bare, headers: { "x-user": "" } }, false],
    ["consistent-hash:header:x-user", bare, false],
    ["least-connections", from("10.0.0.1"), undefined],
  ])("has a request stick only if it has a key: %s", (text, request, expected) => {
    expect(parsePolicy(text).sticks?.(request)).toBe(expected);
  });

  it.each<[HashKey, Partial<PolicyRequest>, string | undefined]>([
    ["path", { url: "/a/b?c=d?e" }, "/a/b"],
    ["path", {}, undefined],
    ["header:X-User", { headers: { "x-user": "ann" } }, "ann"],
    ["header:set-cookie", { headers: { "set-cookie": ["a=1", "b=2"] } }, "a=1, b=2"],
    ["cookie:session", { headers: { cookie: "theme=dark; session=x=y ;session=z" } }, "x=y"],
    ["cookie:session", { headers: { cookie: "xsession=1; Session=2; session" } }, undefined],
  ])("is that of the %s of %j: %j", (key, request, expected) => {
    expect(keyReader(key)({ ...bare, ...request })).toBe(expected);
  });
});
