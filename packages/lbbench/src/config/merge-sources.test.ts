import { describe, expect, it } from "vitest";
import type { ParsedSweepInput } from "../index.js";
import { mergeSources } from "./merge-sources.js";

const SERVERS = ["single", "balanced"];

function merge(file: ParsedSweepInput, flags: ParsedSweepInput, targets: readonly string[] = []): ParsedSweepInput {
  return mergeSources({ file, flags, targets }, SERVERS);
}

describe("mergeSources", () => {
  it("puts flags over the file and keeps the rest of it", () => {
    expect(merge({ name: "file", trials: 3 }, { name: "flags", connections: [1] })).toEqual({
      name: "flags",
      trials: 3,
      connections: [1],
    });
  });

  it("lets requests take the place of a duration, and the other way round", () => {
    expect(merge({ duration: 1000 }, { requests: [5] })).toEqual({ requests: [5] });
    expect(merge({ requests: [5] }, { duration: 1000 })).toEqual({ duration: 1000 });
    expect(merge({ requests: [5] }, { trials: 2 })).toEqual({ requests: [5], trials: 2 });
  });

  it("keeps both for the check to refuse when the command line has both", () => {
    expect(merge({}, { requests: [5], duration: 1 })).toEqual({ requests: [5], duration: 1 });
  });

  it("leaves out of the request in the file what a mix of the command line has no use for", () => {
    const file = { request: { path: "/a", body: "x", bodyEncoding: "base64" as const, headers: { A: "1", B: "2" } } };
    const mix = [
      { path: "/b", body: "y", headers: { a: "3" } },
      { path: "/c", bodiesFile: "z", headers: { A: "4", b: "5" } },
    ];
    expect(merge(file, { mix }).request).toEqual({ headers: { B: "2" } });
    expect(merge(file, { mix: [...mix, {}] }).request).toEqual(file.request);
    expect(merge({ ...file, mix }, {}).request).toEqual(file.request);
    expect(merge(file, { mix, request: { body: "own" } }).request).toMatchObject({ body: "own" });
  });

  it("leaves the error margin out with the margin where one target is left", () => {
    const file = { margin: 0.05, errorMargin: 0.01 };
    expect(merge(file, {}, ["single"])).toEqual({ targets: ["single"] });
    expect(merge(file, {}, ["single", "balanced"])).toMatchObject(file);
  });

  it("overrides steps of the file with none", () => {
    expect(merge({ ramp: { steps: 3, to: 5 } }, { ramp: { steps: null } }).ramp).toEqual({ steps: null, to: 5 });
  });

  it("overrides each part of a ramp by itself", () => {
    expect(merge({ ramp: { from: 5, to: 10, over: 1000 } }, { ramp: { to: 20, steps: 3 } })).toEqual({
      ramp: { from: 5, to: 20, over: 1000, steps: 3 },
    });
  });

  it("overrides parts of the request, and headers by their name, by themselves", () => {
    const file = {
      method: "POST",
      body: "AA==",
      bodyEncoding: "base64",
      headers: { Accept: "a", "X-File": "f" },
    } as const;
    const flags = { body: "text", bodyEncoding: "utf8", headers: { accept: ["b"] } } as const;
    expect(merge({ request: { ...file } }, { request: { ...flags, headers: { accept: ["b"] } } })).toEqual({
      request: { method: "POST", body: "text", bodyEncoding: "utf8", headers: { "X-File": "f", accept: ["b"] } },
    });
  });

  it("lets a body take the place of the file of one, and a mix that of a mix", () => {
    const file = { request: { method: "POST", bodyFile: "a.txt" }, mix: [{ path: "/a" }] };
    const body = { body: "text", bodyEncoding: "utf8" } as const;
    expect(merge(file, { request: body }).request).toEqual({ method: "POST", ...body });
    expect(merge(file, { request: { method: "PUT" } }).request).toEqual({ method: "PUT", bodyFile: "a.txt" });
    expect(merge(file, { mix: [{ path: "/b" }, {}] }).mix).toEqual([{ path: "/b" }, {}]);
    expect(merge(file, {})).toEqual(file);
  });

  it("takes targets of the command line from the file by their name, from there only those", () => {
    const shop = { name: "shop", server: "single", options: { handler: "json" } };
    const file = { targets: [shop, { name: "other", server: "single" }] };
    expect(merge(file, {}, ["balanced", "shop", "http://127.0.0.1:1/"])).toEqual({
      targets: ["balanced", shop, "http://127.0.0.1:1/"],
    });
  });

  it("keeps the margin of the file only while there are targets to compare", () => {
    const file = { targets: [{ name: "pools", server: "pool", grid: { pool: [8, 16] } }, "balanced"], margin: 0.05 };
    expect(merge(file, {}).margin).toBe(0.05);
    expect(merge(file, {}, ["single", "balanced"]).margin).toBe(0.05);
    expect(merge(file, {}, ["pools"]).margin).toBe(0.05);
    expect(merge(file, {}, ["single"])).not.toHaveProperty("margin");
    expect(merge(file, { margin: 0.1 }, ["single"]).margin).toBe(0.1);
  });

  it("keeps the reference of the file only while its target is there", () => {
    const file = { targets: [{ name: "shop", server: "single" }, "balanced"], reference: "shop" };
    expect(merge(file, {}).reference).toBe("shop");
    expect(merge(file, {}, ["single", "shop"]).reference).toBe("shop");
    expect(merge(file, {}, ["single"])).not.toHaveProperty("reference");
    expect(merge(file, { reference: "single" }, ["single"]).reference).toBe("single");
  });

  it("keeps what a target is compared with only while it is there", () => {
    const shop = { name: "shop", server: "single", reference: ["old", "balanced"] };
    const file = { targets: [shop, { name: "old", server: "single" }, "balanced"] };
    expect(merge(file, {}).targets?.[0]).toEqual(shop);
    expect(merge(file, {}, ["shop", "old"]).targets?.[0]).toEqual({ ...shop, reference: ["old"] });
    expect(merge(file, {}, ["shop", "single"]).targets?.[0]).toEqual({ name: "shop", server: "single" });
  });

  it("compares all targets with the reference of the command line, whatever they say themselves", () => {
    const targets = [
      { name: "a", server: "single" },
      { name: "b", server: "single", reference: "a" },
      { name: "c", server: "single", reference: ["a", "b"] },
    ];
    const plain = targets.map(({ name, server }) => ({ name, server }));
    expect(merge({ targets, reference: "a" }, { reference: "c" })).toEqual({ targets: plain, reference: "c" });
    expect(merge({ targets }, { reference: "c" }, ["c", "b", "single"])).toEqual({
      targets: [plain[2], plain[1], "single"],
      reference: "c",
    });
    expect(merge({ targets }, {}).targets).toEqual(targets);
  });

  it("knows a plugin and a URL by the names that they will have", () => {
    const url = "http://127.0.0.1:8080/";
    const file = {
      targets: ["./own.mjs", url, { name: "b", server: "single", reference: ["mine", "127.0.0.1:8080"] }],
    };
    const mergeNamed = (reference: string, targets: readonly string[]): ParsedSweepInput =>
      mergeSources({ file: { ...file, reference }, flags: {}, targets }, SERVERS, new Map([["./own.mjs", "mine"]]));
    expect(mergeNamed("mine", ["single", "./own.mjs"])).toMatchObject({ reference: "mine" });
    expect(mergeNamed("127.0.0.1:8080", ["single", url])).toMatchObject({ reference: "127.0.0.1:8080" });
    expect(mergeNamed("mine", ["mine", "b"]).targets).toEqual([
      "./own.mjs",
      { name: "b", server: "single", reference: ["mine"] },
    ]);
    expect(mergeNamed("mine", ["single", url])).not.toHaveProperty("reference");
  });

  it("suggests a name of the file for a target that is nearly one", () => {
    const file = { targets: [{ name: "shop", server: "single" }] };
    expect(() => merge(file, {}, ["shopp"])).toThrow(
      'a target of the config file (shop), got "shopp". Did you mean "shop"?',
    );
  });

  it("refuses a server that needs options, which only a file can give", () => {
    expect(() => merge({}, {}, ["url"])).toThrow('got "url"');
  });
});
