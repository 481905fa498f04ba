import { describe, expect, it } from "vitest";
import { keyReader, type HashKey } from "./hash-key.js";
import type { PolicyRequest } from "./policy.js";

const bare: PolicyRequest = { headers: {}, socket: {} };

describe("keyReader", () => {
  it.each<[HashKey, Partial<PolicyRequest>, string | undefined]>([
    ["path", { url: "/a/b?c=d?e" }, "/a/b"],
    ["path", { url: "/a" }, "/a"],
    ["path", {}, undefined],
    ["header:X-User", { headers: { "x-user": "ann" } }, "ann"],
    ["header:set-cookie", { headers: { "set-cookie": ["a=1", "b=2"] } }, "a=1, b=2"],
    ["header:x-user", {}, undefined],
    ["header:constructor", {}, undefined],
    ["cookie:session", { headers: { cookie: "theme=dark; session=x=y ;session=z" } }, "x=y"],
    ["cookie:session", { headers: { cookie: "xsession=1; Session=2; session" } }, undefined],
    ["cookie:session", {}, undefined],
  ])("reads %s of %j as %j", (key, request, expected) => {
    expect(keyReader(key)({ ...bare, ...request })).toBe(expected);
  });

  it.each([undefined, 5, "", "query", "header", "cookie:a b"])("refuses %j", (key) => {
    expect(() => keyReader(key as HashKey)).toThrow(/^key: expected "path", "header:NAME" or "cookie:NAME"/);
  });
});
