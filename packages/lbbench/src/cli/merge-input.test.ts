import { describe, expect, it } from "vitest";
import type { ParsedSweepInput } from "../index.js";
import { mergeInput } from "./merge-input.js";

const SERVERS = ["single", "balanced"];

function merge(file: ParsedSweepInput, flags: ParsedSweepInput, targets: readonly string[] = []): ParsedSweepInput {
  return mergeInput({ file, flags, targets }, SERVERS);
}

describe("mergeInput", () => {
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

  it("takes targets of the command line from the file by their name, from there only those", () => {
    const shop = { name: "shop", server: "single", options: { handler: "json" } };
    const file = { targets: [shop, { name: "other", server: "single" }] };
    expect(merge(file, {}, ["balanced", "shop", "http://127.0.0.1:1/"])).toEqual({
      targets: ["balanced", shop, "http://127.0.0.1:1/"],
    });
  });

  it("keeps the reference of the file only while its target is there", () => {
    const file = { targets: [{ name: "shop", server: "single" }, "balanced"], reference: "shop" };
    expect(merge(file, {}).reference).toBe("shop");
    expect(merge(file, {}, ["single", "shop"]).reference).toBe("shop");
    expect(merge(file, {}, ["single"])).not.toHaveProperty("reference");
    expect(merge(file, { reference: "single" }, ["single"]).reference).toBe("single");
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
