import { describe, expect, it } from "vitest";
import { writeFakeServer } from "../../test/support/fake-plugins.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { knownPlugins } from "../api/load-plugins.js";
import { parseSweepInput } from "../api/sweep.js";
import type { ParsedSweepInput } from "../index.js";
import { mergeSources } from "./merge-sources.js";

const merge = async (file: ParsedSweepInput, flags: ParsedSweepInput, targets: readonly string[] = []) =>
  mergeSources({ file, flags, targets }, knownPlugins());

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
      { request: { ...BODY, headers: { accept: ["b"], Own: "1", own: "2" } } },
      { request: { method: "POST", ...BODY, headers: { "X-File": "f", accept: ["b"], Own: "1", own: "2" } } },
    ],
    [
      "take a body for the file of one",
      { request: { method: "POST", bodyFile: "a.txt" } },
      { request: BODY },
      { request: { method: "POST", ...BODY } },
    ],
  ])("%s", async (_, file, flags, expected) => {
    expect(await merge(file, flags)).toEqual(expected);
  });

  it("take their workers, and where these find the master, as a whole", async () => {
    const file = parseSweepInput({ workers: "ssh:gen1,gen2", workersListen: "10.0.0.1:6000" }, "test");
    const flags = parseSweepInput({ workers: "wait:3", workersListen: "10.0.0.2" }, "test");
    expect(await merge(file, flags)).toEqual(flags);
  });

  it("leave out where a search of another kind of load starts, and its most", async () => {
    const search = { start: 5, most: 200, growth: 3 };
    expect(await merge({ search }, { search: { by: "rate" } })).toEqual({ search: { by: "rate", growth: 3 } });
    expect(await merge({ search }, { search: { by: "connections" } })).toEqual({
      search: { by: "connections", ...search },
    });
  });

  it("leave out of its request what a mix of the command line has no use for", async () => {
    const file = { request: { path: "/a", body: "x", bodyEncoding: "base64" as const, headers: { A: "1", B: "2" } } };
    const mix = [{ path: "/b", body: "y", headers: { a: "3" } }];
    expect((await merge(file, { mix })).request).toEqual({ headers: { B: "2" } });
    expect((await merge(file, { mix: [...mix, {}] })).request).toEqual(file.request);
    expect((await merge({ ...file, mix }, {})).request).toEqual(file.request);
    expect((await merge(file, { mix, request: { body: "own" } })).request).toMatchObject({ body: "own" });
  });
});

describe("targets of the command line", () => {
  it("are taken from the file by their name, and from there only those", async () => {
    const shop = { ...SHOP, options: { handler: "json" } };
    const file = { targets: [shop, { name: "other", server: "single" }] };
    const url = "http://127.0.0.1:1/";
    expect(await merge(file, {}, ["balanced", "shop", url])).toEqual({ targets: ["balanced", shop, url] });
    expect(await merge(file, {}, ["one process"]), "of the default sweep").toEqual({ targets: ["one process"] });
  });

  it("keep its margins, and as many trials as these take, only while there are targets to compare", async () => {
    const margins = { margin: 0.05, errorMargin: 0.01, trials: "auto" as const };
    const file = { targets: [{ name: "pools", server: "pool", grid: { pool: [8, 16] } }, "balanced"], ...margins };
    for (const targets of [[], ["single", "balanced"], ["pools"]]) {
      expect(await merge(file, {}, targets)).toMatchObject(margins);
    }
    expect(await merge(file, {}, ["single"])).toEqual({ targets: ["single"] });
    expect((await merge(file, { margin: 0.1 }, ["single"])).margin).toBe(0.1);
  });

  it("keep its options of engines that may load one of them, and those of the command line", async () => {
    const engines = { grpc: { channels: 8 }, ab: { program: "ab2" }, wire: { streams: 2 }, "./own.mjs": {} };
    const file = {
      targets: [SHOP, { name: "rpc", server: "grpc" }, { ...SHOP, name: "own", engine: { name: "ab" } }],
      engines,
    };
    const keptFor = async (targets: readonly string[], flags: ParsedSweepInput = {}) =>
      Object.keys((await merge(file as ParsedSweepInput, flags, targets)).engines ?? {});
    expect(await keptFor([])).toEqual(Object.keys(engines));
    expect(await keptFor(["shop"])).toEqual(["wire", "./own.mjs"]);
    expect(await keptFor(["rpc", "own"])).toEqual(["grpc", "ab", "./own.mjs"]);
    expect(await keptFor(["shop"], { engine: "wire" })).toEqual(["wire", "./own.mjs"]);
    expect(await keptFor(["own"], { engines: { grpc: { channels: 2 } } })).toEqual(["grpc", "ab", "./own.mjs"]);
  });

  it("keep its reference, and what they say themselves, only while those are there", async () => {
    const file = { targets: [SHOP, "balanced"], reference: "shop" };
    expect((await merge(file, {})).reference).toBe("shop");
    expect((await merge(file, {}, ["single", "shop"])).reference).toBe("shop");
    expect(await merge(file, {}, ["single"])).not.toHaveProperty("reference");
    expect((await merge(file, { reference: "single" }, ["single"])).reference).toBe("single");
    const shop = { ...SHOP, references: ["old", "balanced"] };
    const others = { targets: [shop, { name: "old", server: "single" }, "balanced"] };
    expect((await merge(others, {})).targets?.[0]).toEqual(shop);
    expect((await merge(others, {}, ["shop", "old"])).targets?.[0]).toEqual({ ...shop, references: ["old"] });
    expect((await merge(others, {}, ["shop", "single"])).targets?.[0]).toEqual(SHOP);
    const pools = { name: "pools", server: "pool", grid: { pool: [8, 16] } };
    const grid = (reference: string) => merge({ targets: [pools, SHOP], reference }, {}, ["pools"]);
    expect(await grid("pools pool=16")).toHaveProperty("reference");
    expect(await grid("shop")).not.toHaveProperty("reference");
  });

  it("are all compared with the reference of the command line, whatever they say themselves", async () => {
    const plain = ["a", "b", "c"].map((name) => ({ name, server: "single" }));
    const targets = plain.map((target, index) => (index === 0 ? target : { ...target, references: ["a"] }));
    expect(await merge({ targets, reference: "a" }, { reference: "c" })).toEqual({ targets: plain, reference: "c" });
    expect(await merge({ targets }, { reference: "c" }, ["c", "b", "single"])).toEqual({
      targets: [plain[2], plain[1], "single"],
      reference: "c",
    });
    expect((await merge({ targets }, {})).targets).toEqual(targets);
  });

  it("are plugins and URLs by the names that they will have", async () => {
    const folder = temporaryFolder();
    writeFakeServer(folder, "own.mjs");
    const url = "http://127.0.0.1:8080/";
    const b = { name: "b", server: "single", references: ["fake", "127.0.0.1:8080"] };
    const mergeNamed = async (reference: string, targets: readonly string[]) => {
      const file = { targets: ["./own.mjs", url, b], reference };
      return mergeSources({ file, flags: {}, targets }, knownPlugins({}, folder));
    };
    expect(await mergeNamed("fake", ["single", "./own.mjs"])).toMatchObject({ reference: "fake" });
    expect(await mergeNamed("127.0.0.1:8080", ["single", url])).toMatchObject({ reference: "127.0.0.1:8080" });
    expect((await mergeNamed("fake", ["fake", "b"])).targets).toEqual(["./own.mjs", { ...b, references: ["fake"] }]);
    expect(await mergeNamed("fake", ["single", url])).not.toHaveProperty("reference");
  });

  it("are refused where they need options, which only a file can give, or are nearly in it", async () => {
    await expect(merge({}, {}, ["url"])).rejects.toThrow('got "url"');
    await expect(merge({ targets: [SHOP] }, {}, ["shopp"])).rejects.toThrow(
      '(shop), got "shopp". Did you mean "shop"?',
    );
  });
});
