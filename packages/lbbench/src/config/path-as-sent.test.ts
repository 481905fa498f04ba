import { describe, expect, it } from "vitest";
import { isSentAsWritten, pathAsSent } from "./path-as-sent.js";

describe("isSentAsWritten", () => {
  it.each([
    "/",
    "/cart?of=me&it='s",
    "/a b/ü?q=a b",
    "/%7Euser/%zz?%2e",
    "//other.test/a",
    "/a|b^c`{d}?[e]=<f>",
    "/..a/.b/c..?../x",
    "/it's",
    "/a?b?c",
  ])("is true of %s", (path) => {
    expect(isSentAsWritten(path)).toBe(true);
  });

  it.each([
    ["/frag#b", "/frag"],
    ["/dots/../up", "/up"],
    ["/a/.", "/a/"],
    ["/%2e%2E/a", "/a"],
    ["/\\other.test/a", "//other.test/a"],
    ["/a\tb", "/ab"],
    ["/a ", "/a"],
    ["/a?", "/a"],
  ])("is false of %j, which goes out as %s", (path, sent) => {
    expect(isSentAsWritten(path)).toBe(false);
    expect(pathAsSent(path)).toBe(sent);
  });
});
