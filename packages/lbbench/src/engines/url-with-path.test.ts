import { describe, expect, it } from "vitest";
import { urlWithPath } from "./url-with-path.js";

describe("urlWithPath", () => {
  it.each([
    ["http://127.0.0.1:8080/", "/cart?of=me", "http://127.0.0.1:8080/cart?of=me"],
    ["https://me:secret@shop.test/own?path=1#here", "/cart", "https://me:secret@shop.test/cart"],
    ["http://[::1]:8080", "/a b?c d", "http://[::1]:8080/a%20b?c%20d"],
    ["http://shop.test/", "/a#b", "http://shop.test/a"],
    ["http://shop.test/", "//other.test/a", "http://shop.test//other.test/a"],
    ["http://shop.test/", "/\\other.test/a", "http://shop.test//other.test/a"],
    ["http://shop.test/", "/%2e%2E/a?b=%zz", "http://shop.test/a?b=%zz"],
  ])("takes the host of %s and the path %s", (base, path, expected) => {
    expect(urlWithPath(new URL(base), path).href).toBe(expected);
  });
});
