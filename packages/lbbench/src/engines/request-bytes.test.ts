import { describe, expect, it } from "vitest";
import type { RequestSpec } from "../model/scenario.js";
import { requestBytes } from "./request-bytes.js";

const GET: RequestSpec = {
  method: "GET",
  path: "/ignored",
  headers: [],
  body: null,
  bodyEncoding: "utf8",
  expectStatus: "2xx",
  expectBody: null,
};

function lines(url: string, request: Partial<RequestSpec> = {}, keepAlive = true): readonly string[] {
  return requestBytes(new URL(url), { ...GET, ...request }, keepAlive)
    .toString("latin1")
    .split("\r\n");
}

describe("requestBytes", () => {
  it("writes path and query of the URL, with host and connection, and an empty line at the end", () => {
    expect(lines("http://example.test:8080/a/b?c=d%20e#fragment")).toEqual([
      "GET /a/b?c=d%20e HTTP/1.1",
      "Host: example.test:8080",
      "Connection: keep-alive",
      "",
      "",
    ]);
  });

  it("leaves the default port out of the host and keeps the brackets of an IPv6 address", () => {
    expect(lines("https://example.test:443/")).toContain("Host: example.test");
    expect(lines("http://[::1]:9000/")).toContain("Host: [::1]:9000");
  });

  it("asks for the connection to be closed where it is not to be kept", () => {
    expect(lines("http://a.test/", {}, false)).toContain("Connection: close");
  });

  it("keeps given headers in order with their repetitions, and adds none that is given in any case of letters", () => {
    const headers = [
      ["X-Tag", "1"],
      ["HOST", "virtual.test"],
      ["x-tag", "2"],
      ["connection", "close"],
      ["content-LENGTH", "3"],
      ["AUTHORIZATION", "Bearer t"],
    ] as const;
    expect(lines("http://user:pass@a.test/", { method: "PUT", headers, body: "abc" })).toEqual([
      "PUT / HTTP/1.1",
      "X-Tag: 1",
      "HOST: virtual.test",
      "x-tag: 2",
      "connection: close",
      "content-LENGTH: 3",
      "AUTHORIZATION: Bearer t",
      "",
      "abc",
    ]);
  });

  it("gives the length of the body in bytes, not in letters", () => {
    expect(lines("http://a.test/", { method: "POST", body: "grüße" })).toContain("Content-Length: 7");
  });

  it("sends a body of base64 as the bytes it stands for", () => {
    const body = Buffer.from([0, 255, 10, 13]);
    const bytes = requestBytes(
      new URL("http://a.test/"),
      { ...GET, method: "POST", body: body.toString("base64"), bodyEncoding: "base64" },
      true,
    );
    expect(bytes.subarray(-4)).toEqual(body);
    expect(bytes.toString("latin1")).toContain("Content-Length: 4\r\n");
  });

  it("gives an empty body its length, and no body none", () => {
    expect(lines("http://a.test/", { method: "POST", body: "" })).toContain("Content-Length: 0");
    expect(lines("http://a.test/", { method: "POST" })).toContain("Content-Length: 0");
    expect(lines("http://a.test/", { method: "DELETE" }).join()).not.toContain("Content-Length");
  });

  it("gives no length to a body that is framed by the user", () => {
    const headers = [["Transfer-Encoding", "chunked"]] as const;
    const sent = lines("http://a.test/", { method: "POST", headers, body: "0\r\n\r\n" });
    expect(sent.join()).not.toContain("Content-Length");
  });

  it("turns the credentials of the URL into a header, decoded", () => {
    const expected = Buffer.from("me@home:p:w").toString("base64");
    expect(lines("http://me%40home:p%3Aw@a.test/")).toContain(`Authorization: Basic ${expected}`);
  });
});
