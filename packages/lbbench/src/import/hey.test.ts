import { expect, it } from "vitest";
import { classifyError } from "./hey.js";

it.each([
  ["read tcp 127.0.0.1:1->127.0.0.1:2: read: connection reset by peer", "resets", "ECONNRESET"],
  ["write tcp 127.0.0.1:1->127.0.0.1:2: write: broken pipe", "resets", "EPIPE"],
  ["dial tcp 127.0.0.1:1: connect: connection reset by peer", "connectErrors", "ECONNRESET"],
  ["dial tcp 127.0.0.1:1: connect: cannot assign requested address", "connectErrors", "EADDRNOTAVAIL"],
  ["dial tcp 127.0.0.1:1: socket: too many open files", "connectErrors", "EMFILE"],
  ["dial tcp 10.0.0.1:1: i/o timeout (Client.Timeout exceeded while awaiting headers)", "timedOut"],
  ["unexpected EOF", "dropped"],
  ["http: server closed idle connection", "dropped"],
  ['net/http: HTTP/1.x transport connection broken: malformed HTTP status code "EOF"', "mismatched"],
  ["something that nobody has seen", "unclassified"],
])("an error of hey is classified by its words, whatever the URL says: %s", (message, failure, code?) => {
  const expected = { failure, code };
  expect(classifyError(`Get "http://127.0.0.1/": ${message}`)).toEqual(expected);
  expect(classifyError(`Post "http://127.0.0.1/?dial connection refused \\": EOF": ${message}`)).toEqual(expected);
});

it.each([
  ["Connection refused (os error 111)", "connectErrors", "ECONNREFUSED"],
  ["Connection reset by peer (os error 104)", "resets", "ECONNRESET"],
  ["connection closed before message completed", "dropped"],
  ["timeout", "timedOut"],
])("so is an error of oha, which names no URL: %s", (message, failure, code?) => {
  expect(classifyError(message)).toEqual({ failure, code });
});
