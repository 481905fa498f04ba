import { describe, expect, it } from "vitest";
import { checkHttp2Request } from "./check-http2-request.js";
import { http2Request } from "./http2-request.js";
import type { RequestSpec } from "../../../model/scenario.js";
import { aRequest } from "../../../test-support/fixtures.js";

const GET = aRequest();
const SHOP = new URL("https://shop.example:8443/cart?item=1");

describe("http2Request", () => {
  it("says in pseudo-headers what is asked of whom", () => {
    expect(Object.entries(http2Request(SHOP, GET).headers)).toEqual([
      [":method", "GET"],
      [":scheme", "https"],
      [":authority", "shop.example:8443"],
      [":path", "/cart?item=1"],
    ]);
  });

  it("keeps the order of headers, the values of one together, and takes Host for the authority", () => {
    const headers = [
      ["X-B", "1"],
      ["HOST", "other.example"],
      ["X-A", "2"],
      ["x-b", "3"],
    ] as const;
    expect(Object.entries(http2Request(SHOP, { ...GET, headers }).headers).slice(2)).toEqual([
      [":authority", "other.example"],
      [":path", "/cart?item=1"],
      ["x-b", ["1", "3"]],
      ["x-a", "2"],
    ]);
  });

  it("sends the credentials of the URL, unless there are others", () => {
    const url = new URL("http://me:se%20cret@shop.example/");
    const basic = `Basic ${Buffer.from("me:se cret").toString("base64")}`;
    expect(http2Request(url, GET).headers).toMatchObject({ authorization: basic, ":authority": "shop.example" });
    const headers = [["Authorization", "Bearer x"]] as const;
    expect(http2Request(url, { ...GET, headers }).headers["authorization"]).toBe("Bearer x");
  });

  it("says how long a body is, and that there is none where one is usual", () => {
    const post = http2Request(SHOP, { ...GET, method: "POST", body: "w6Q=", bodyEncoding: "base64" });
    expect(post.headers["content-length"]).toBe("2");
    expect(post.body).toEqual(Buffer.from("ä"));
    expect(http2Request(SHOP, { ...GET, method: "PUT" })).toMatchObject({
      headers: { "content-length": "0" },
      body: null,
    });
    expect(http2Request(SHOP, GET)).toMatchObject({ body: null });
    expect(http2Request(SHOP, GET).headers).not.toHaveProperty("content-length");
  });
});

describe("checkHttp2Request", () => {
  it("lets pass what can be sent", async () => {
    const headers = [
      ["Host", "shop.example"],
      ["TE", "trailers"],
      ["Accept", "a"],
      ["Accept", "b"],
      ["Cookie", "a=1"],
      ["Cookie", "b=2"],
    ] as const;
    await expect(checkHttp2Request({ ...GET, headers, method: "POST", body: "x" })).resolves.toBeUndefined();
  });

  it.each(["Connection", "keep-alive", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "HTTP2-Settings"])(
    "refuses %s, which is about the connection",
    async (name) => {
      await expect(checkHttp2Request({ ...GET, headers: [[name, "x"]] })).rejects.toThrow(
        `got "${name}", which is about the connection`,
      );
    },
  );

  it.each<[string, Partial<RequestSpec>]>([
    [
      "content-type",
      {
        headers: [
          ["Content-Type", "a"],
          ["content-type", "b"],
        ],
      },
    ],
    ["te", { headers: [["TE", "gzip"]] }],
    ["CONNECT", { method: "CONNECT" }],
  ])("refuses what Node would not send: %s", async (what, request) => {
    await expect(checkHttp2Request({ ...GET, ...request })).rejects.toThrow(what);
  });
});
