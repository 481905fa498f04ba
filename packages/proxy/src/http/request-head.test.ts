import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readRequestHead, type HeadOptions } from "./request-head.js";

const plain: HeadOptions = { forwarded: "off", via: false, secure: false };

function requestOf(
  rawHeaders: readonly string[],
  { url = "/", minor = 1, major = 1, socket = { remoteAddress: "10.0.0.9" } as object } = {},
): IncomingMessage {
  return {
    method: "POST",
    url,
    rawHeaders,
    httpVersion: `${major}.${minor}`,
    httpVersionMajor: major,
    httpVersionMinor: minor,
    socket,
  } as unknown as IncomingMessage;
}

const read = (headers: readonly string[], more = {}, options = plain) =>
  readRequestHead(requestOf(["Host", "a", ...headers], more), options);

describe("readRequestHead", () => {
  it.each([
    ["both a length and chunks", ["Content-Length", "1", "Transfer-Encoding", "chunked"], {}, 400],
    ["two lengths", ["Content-Length", "1", "Content-Length", "1"], {}, 400],
    ["a length that is none", ["Content-Length", "+1"], {}, 400],
    ["a length of 16 digits", ["Content-Length", "1000000000000000"], {}, 400],
    ["an unknown coding", ["Transfer-Encoding", "gzip"], {}, 501],
    ["chunks twice", ["Transfer-Encoding", "chunked", "Transfer-Encoding", "chunked"], {}, 501],
    ["chunks in HTTP/1.0", ["Transfer-Encoding", "chunked"], { minor: 0 }, 400],
    ["HTTP/2.0", [], { major: 2, minor: 0 }, 505],
    ["HTTP/0.9", [], { major: 0, minor: 9 }, 505],
    ["an unknown expectation", ["Expect", "more"], {}, 417],
    ["two Hosts", ["Host", "a"], {}, 400],
    ["a target that is no path", [], { url: "a" }, 400],
    ["a tab in the target", [], { url: "/a\tb" }, 400],
    ["a user in the target", [], { url: "http://b@a/" }, 400],
  ])("refuses %s", (_, headers, more, status) => {
    expect(read(headers, more)).toMatchObject({ status });
  });

  it.each([
    ["no body", [], "none"],
    ["a body of no length", ["Content-Length", "0"], "none"],
    ["a length", ["Content-Length", "007"], 7],
    ["chunks", ["Transfer-Encoding", "Chunked"], "chunked"],
  ])("tells of %s", (_, headers, body) => {
    expect(read(headers)).toMatchObject({ body });
  });

  it("writes a length as it is understood", () => {
    expect(read(["Content-Length", "007"])).toMatchObject({ headers: ["Host", "a", "Content-Length", "7"] });
  });

  it("puts the host of a URL where the Host was, also behind a value that is called so", () => {
    const request = requestOf(["X-A", "Host", "host", "a", "X-B", "1"], { url: "http://b/c" });
    expect(readRequestHead(request, plain)).toMatchObject({
      host: "b",
      path: "/c",
      headers: ["X-A", "Host", "Host", "b", "X-B", "1"],
    });
  });

  it("leaves out what Connection names, but not the Host", () => {
    const headers = ["X-A", "1", "Connection", "x-a, host, close", "X-B", "2"];
    expect(read(headers)).toMatchObject({ headers: ["Host", "a", "X-B", "2"] });
  });

  it("keeps what an earlier balancer said where there is nothing to add", () => {
    const request = requestOf(["Host", "a", "X-Forwarded-For", "1.1.1.1"], { socket: {} });
    expect(readRequestHead(request, { ...plain, forwarded: "append" })).toMatchObject({
      headers: expect.arrayContaining(["X-Forwarded-For", "1.1.1.1"]),
    });
  });

  it("keeps a Via when the balancer adds none", () => {
    expect(read(["Via", "1.1 b"])).toMatchObject({ headers: ["Host", "a", "Via", "1.1 b"] });
  });
});
