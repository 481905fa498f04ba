import { describe, expect, it } from "vitest";
import { classifyHeyError } from "./classify-error.js";

describe("classifyHeyError", () => {
  it.each([
    ["read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", { failure: "resets", code: "ECONNRESET" }],
    ["write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe", { failure: "resets", code: "EPIPE" }],
    ["dial tcp 127.0.0.1:1: connect: connection refused", { failure: "connectErrors", code: "ECONNREFUSED" }],
    ["dial tcp 127.0.0.1:1: connect: connection reset by peer", { failure: "connectErrors", code: "ECONNRESET" }],
    ["dial tcp: lookup a.invalid on 1.2.3.4:53: no such host", { failure: "connectErrors", code: "ENOTFOUND" }],
    [
      "dial tcp 127.0.0.1:1: connect: cannot assign requested address",
      { failure: "connectErrors", code: "EADDRNOTAVAIL" },
    ],
    ["dial tcp 127.0.0.1:1: socket: too many open files", { failure: "connectErrors", code: "EMFILE" }],
    ["dial tcp 10.0.0.1:1: i/o timeout (Client.Timeout exceeded while awaiting headers)", { failure: "timedOut" }],
    ["context deadline exceeded (Client.Timeout exceeded while awaiting headers)", { failure: "timedOut" }],
    ["EOF", { failure: "dropped" }],
    ["unexpected EOF", { failure: "dropped" }],
    ["http: server closed idle connection", { failure: "dropped" }],
    ['net/http: HTTP/1.x transport connection broken: malformed HTTP status code "EOF"', { failure: "mismatched" }],
    ["something that nobody has seen", { failure: "unclassified" }],
  ])("tells %s", (message, expected) => {
    expect(classifyHeyError(`Get "http://127.0.0.1/": ${message}`)).toEqual(expected);
  });

  it("takes no word of the URL for one of the error", () => {
    const url = 'http://127.0.0.1/?dial connection refused \\": EOF';
    expect(classifyHeyError(`Get "${url}": unexpected EOF`)).toEqual({ failure: "dropped" });
    expect(classifyHeyError(`Post "${url}": odd`)).toEqual({ failure: "unclassified" });
  });
});
