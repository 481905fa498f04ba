import { describe, expect, it } from "vitest";
import type { ParsedSweepInput } from "../index.js";
import { mergeSources } from "./merge-sources.js";

const SERVERS = ["single", "balanced"];

const merge = (file: ParsedSweepInput, flags: ParsedSweepInput, targets: readonly string[] = []): ParsedSweepInput =>
  mergeSources({ file, flags, targets }, SERVERS);

const SHOP = { name: "shop", server: "single" };
const BODY = { body: "text", bodyEncoding: "utf8" } as const;
const OF_FILE = {
  method: "POST",
  body: "AA==",
  bodyEncoding: "base64",
  headers: { Accept: "a", "X-File": "f" },
} as const;

describe("flags over a config file", () => {
  it.each<[string, ParsedSweepInput, ParsedSweepInput, ParsedSweepInput]>([
    ["keep the rest of it", { name: "file", trials: 3 }, { name: "flags" }, { name: "flags", trials: 3 }],
    ["take requests for its duration", { duration: 1000 }, { requests: [5] }, { requests: [5] }],
    ["take a duration for its requests", { requests: [5] }, { duration: 1000 }, { duration: 1000 }],
    [
      "override each part of a ramp by itself, also by none",
      { ramp: { from: 5, to: 10, over: 1000, steps: 3 } },
      { ramp: { to: 20, steps: null } },
      { ramp: { from: 5, to: 20, over: 1000, steps: null } },
    ],
    [
      "override parts of the request, and headers by their name, by themselves",
      { request: OF_FILE },
      { request: { ...BODY, headers: { accept: ["b"] } } },
      { request: { method: "POST", ...BODY, headers: { "X-File": "f", accept: ["b"] } } },
    ],
    [
      "take a body for the file of one",
      { request: { method: "POST", bodyFile: "a.txt" } },
      { request: BODY },
      { request: { method: "POST", ...BODY } },
    ],
  ])("%s", (_, file, flags, expected) => {
    expect(merge(file, flags)).toEqual(expected);
  });

  it("leave out of its request what a mix of the command line has no use for", () => {
    const file = { request: { path: "/a", body: "x", bodyEncoding: "base64" as const, headers: { A: "1", B: "2" } } };
    const mix = [{ path: "/b", body: "y", headers: { a: "3" } }];
    expect(merge(file, { mix }).request).toEqual({ headers: { B: "2" } });
    expect(merge(file, { mix: [...mix, {}] }).request).toEqual(file.request);
    expect(merge({ ...file, mix }, {}).request).toEqual(file.request);
    expect(merge(file, { mix, request: { body: "own" } }).request).toMatchObject({ body: "own" });
  });
});

describe("targets of the command line", () => {
  it("are taken from the file by their name, and from there only those", () => {
    const shop = { ...SHOP, options: { handler: "json" } };
    const file = { targets: [shop, { name: "other", server: "single" }] };
    const url = "http://127.0.0.1:1/";
    expect(merge(file, {}, ["balanced", "shop", url])).toEqual({ targets: ["balanced", shop, url] });
    expect(merge(file, {}, ["one process"]), "of the default sweep").toEqual({ targets: ["one process"] });
  });

  it("keep its margins only while there are targets to compare", () => {
    const margins = { margin: 0.05, errorMargin: 0.01 };
    const file = { targets: [{ name: "pools", server: "pool", grid: { pool: [8, 16] } }, "balanced"], ...margins };
    for (const targets of [[], ["single", "balanced"], ["pools"]]) {
      expect(merge(file, {}, targets)).toMatchObject(margins);
    }
    expect(merge(file, {}, ["single"])).toEqual({ targets: ["single"] });
    expect(merge(file, { margin: 0.1 }, ["single"]).margin).toBe(0.1);
  });

  it("keep its reference, and what they say themselves, only while those are there", () => {
    const file = { targets: [SHOP, "balanced"], reference: "shop" };
    expect(merge(file, {}).reference).toBe("shop");
    expect(merge(file, {}, ["single", "shop"]).reference).toBe("shop");
    expect(merge(file, {}, ["single"])).not.toHaveProperty("reference");
    expect(merge(file, { reference: "single" }, ["single"]).reference).toBe("single");
    const shop = { ...SHOP, reference: ["old", "balanced"] };
    const others = { targets: [shop, { name: "old", server: "single" }, "balanced"] };
    expect(merge(others, {}).targets?.[0]).toEqual(shop);
    expect(merge(others, {}, ["shop", "old"]).targets?.[0]).toEqual({ ...shop, reference: ["old"] });
    expect(merge(others, {}, ["shop", "single"]).targets?.[0]).toEqual(SHOP);
  });

  it("are all compared with the reference of the command line, whatever they say themselves", () => {
    const plain = ["a", "b", "c"].map((name) => ({ name, server: "single" }));
    const targets = plain.map((target, index) => (index === 0 ? target : { ...target, reference: "a" }));
    expect(merge({ targets, reference: "a" }, { reference: "c" })).toEqual({ targets: plain, reference: "c" });
    expect(merge({ targets }, { reference: "c" }, ["c", "b", "single"])).toEqual({
      targets: [plain[2], plain[1], "single"],
      reference: "c",
    });
    expect(merge({ targets }, {}).targets).toEqual(targets);
  });

  it("are plugins and URLs by the names that they will have", () => {
    const url = "http://127.0.0.1:8080/";
    const b = { name: "b", server: "single", reference: ["mine", "127.0.0.1:8080"] };
    const mergeNamed = (reference: string, targets: readonly string[]): ParsedSweepInput => {
      const file = { targets: ["./own.mjs", url, b], reference };
      return mergeSources({ file, flags: {}, targets }, SERVERS, new Map([["./own.mjs", "mine"]]));
    };
    expect(mergeNamed("mine", ["single", "./own.mjs"])).toMatchObject({ reference: "mine" });
    expect(mergeNamed("127.0.0.1:8080", ["single", url])).toMatchObject({ reference: "127.0.0.1:8080" });
    expect(mergeNamed("mine", ["mine", "b"]).targets).toEqual(["./own.mjs", { ...b, reference: ["mine"] }]);
    expect(mergeNamed("mine", ["single", url])).not.toHaveProperty("reference");
  });

  it("are refused where they need options, which only a file can give, or are nearly in it", () => {
    expect(() => merge({}, {}, ["url"])).toThrow('got "url"');
    expect(() => merge({ targets: [SHOP] }, {}, ["shopp"])).toThrow('(shop), got "shopp". Did you mean "shop"?');
  });
});
