import { describe, expect, it } from "vitest";
import { classifyError } from "./hey.js";

describe("an error", () => {
  it.each([
    ["read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", { failure: "resets", code: "ECONNRESET" }],
    ["write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe", { failure: "resets", code: "EPIPE" }],
    ["dial tcp 127.0.0.1:1: connect: connection reset by peer", { failure: "connectErrors", code: "ECONNRESET" }],
    [
      "dial tcp 127.0.0.1:1: connect: cannot assign requested address",
      { failure: "connectErrors", code: "EADDRNOTAVAIL" },
    ],
    ["dial tcp 127.0.0.1:1: socket: too many open files", { failure: "connectErrors", code: "EMFILE" }],
    ["dial tcp 10.0.0.1:1: i/o timeout (Client.Timeout exceeded while awaiting headers)", { failure: "timedOut" }],
    ["unexpected EOF", { failure: "dropped" }],
    ["http: server closed idle connection", { failure: "dropped" }],
    ['net/http: HTTP/1.x transport connection broken: malformed HTTP status code "EOF"', { failure: "mismatched" }],
    ["something that nobody has seen", { failure: "unclassified" }],
  ])("of hey is classified by its words, whatever the URL says: %s", (message, expected) => {
    expect(classifyError(`Get "http://127.0.0.1/": ${message}`)).toEqual(expected);
    expect(classifyError(`Post "http://127.0.0.1/?dial connection refused \\": EOF": ${message}`)).toEqual(expected);
  });

  it.each([
    ["Connection refused (os error 111)", { failure: "connectErrors", code: "ECONNREFUSED" }],
    ["Connection reset by peer (os error 104)", { failure: "resets", code: "ECONNRESET" }],
    ["connection closed before message completed", { failure: "dropped" }],
    ["timeout", { failure: "timedOut" }],
  ])("of oha, which names no URL: %s", (message, expected) => {
    expect(classifyError(message)).toEqual(expected);
  });
});
