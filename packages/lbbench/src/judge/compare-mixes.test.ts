import { describe, expect, it } from "vitest";
import type { MixedRequest, Scenario } from "../model/scenario.js";
import { aScenario } from "../test-support/fixtures.js";
import { compareMixes } from "./compare-mixes.js";
import { comparePair } from "./compare-pairs.js";

const { request } = aScenario();
const A: MixedRequest = {
  name: "GET /a?key=secret",
  weight: 2,
  request: { ...request, path: "/a?key=secret" },
  bodies: null,
};
const B: MixedRequest = { name: "cart", weight: 1, request: { ...request, method: "POST" }, bodies: ["x", "y"] };

const withMix = (mix: Scenario["mix"]): Scenario => aScenario({ mix });

describe("compareMixes", () => {
  it("compares the requests of runs without a mix", () => {
    const other = aScenario({ request: { ...request, method: "POST" } });
    expect(compareMixes(withMix(null), other)).toMatchObject([{ code: "OTHER_REQUEST", what: "method" }]);
  });

  it("finds none between the same mixes, in another order and with weights of the same shares", () => {
    const doubled = [B, A].map((entry) => ({ ...entry, weight: entry.weight * 2 }));
    expect(compareMixes(withMix([A, B]), withMix([A, B]))).toEqual([]);
    expect(compareMixes(withMix([A, B]), withMix(doubled))).toEqual([]);
  });

  it("pays no heed to the request that a mix takes the place of", () => {
    const other = { ...withMix([A]), request: { ...request, method: "POST" } };
    expect(compareMixes(withMix([A]), other)).toEqual([]);
  });

  it("tells a mix from a single request", () => {
    expect(compareMixes(withMix(null), withMix([A, B]))).toEqual([
      { code: "OTHER_REQUEST", effect: "prevents", what: "mix", a: "none", b: "of 2" },
    ]);
  });

  it.each([
    ["an entry that is lacking", [A], ["mix, cart only in A"]],
    ["an entry more", [A, B, { ...A, name: "GET /b?key=1" }], ["mix, GET /b only in B"]],
    ["a method", [A, { ...B, request: { ...B.request, method: "PUT" } }], ["mix, cart: method"]],
    ["a query", [{ ...A, request: { ...A.request, path: "/a?key=other" } }, B], ["mix, GET /a: query"]],
    ["a path", [A, { ...B, request: { ...B.request, path: "/c" } }], ["mix, cart: path"]],
    ["a body", [A, { ...B, bodies: ["x", "z"] }], ["mix, cart: bodies"]],
    ["bodies", [A, { ...B, bodies: null }], ["mix, cart: bodies"]],
    [
      "how bodies are to be read",
      [A, { ...B, request: { ...B.request, bodyEncoding: "base64" } }],
      ["mix, cart: bodies"],
    ],
    ["a weight", [A, { ...B, weight: 2 }], ["mix, cart: weight"]],
  ] as const)("finds %s, and prevents the comparison", (_, other, expected) => {
    const differences = compareMixes(withMix([A, B]), withMix(other));
    expect(differences.map(({ what }) => what)).toEqual(expected);
    expect(differences.every(({ code, effect }) => code === "OTHER_REQUEST" && effect === "prevents")).toBe(true);
    expect(JSON.stringify(differences)).not.toContain("secret");
  });

  it("only notes other credentials", () => {
    const signed = (token: string): MixedRequest => ({ ...A, request: { ...A.request, headers: [["Cookie", token]] } });
    expect(compareMixes(withMix([signed("a")]), withMix([signed("b")]))).toMatchObject([
      { effect: "note", what: "mix, GET /a: header cookie" },
    ]);
  });
});

describe("comparePair", () => {
  it("compares no paths of URLs where there is a mix, whose own they are not", () => {
    const target = (url: string): Scenario["targets"][number] => ({ name: "url", server: "url", options: { url } });
    const pair = [target("http://shop.test/a"), target("http://shop.test/b")] as const;
    const paths = (mix: Scenario["mix"]) =>
      comparePair(withMix(mix), withMix(mix), pair).filter(({ what }) => what === "path");
    expect(paths(null)).toHaveLength(1);
    expect(paths([A])).toEqual([]);
  });
});
