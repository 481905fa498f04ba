import { describe, expect, it } from "vitest";
import type { RequestLogEntry } from "../options/options.js";
import { formatCombined } from "./request-log.js";

const entry: RequestLogEntry = {
  method: "GET",
  path: "/apache_pb.gif?size=2",
  status: 200,
  backend: "first",
  durationMs: 12.3456,
  startedAt: Date.UTC(2000, 9, 10, 20, 55, 36, 999),
  remoteAddress: "127.0.0.1",
  httpVersion: "1.0",
  bodyBytes: 2326,
  referer: "http://www.example.com/start.html",
  userAgent: "Mozilla/4.08 [en] (Win98; I ;Nav)",
};

describe("formatCombined", () => {
  it("writes - for everything that is missing", () => {
    const { method, path, httpVersion } = entry;
    const least = { method, path, httpVersion, durationMs: 0, startedAt: 0, bodyBytes: 0 };
    expect(formatCombined(least)).toBe(
      '- - - [01/Jan/1970:00:00:00 +0000] "GET /apache_pb.gif?size=2 HTTP/1.0" - - "-" "-" "-" 0.000',
    );
  });

  it("writes - for the request line of a connection of mode tcp", () => {
    const line = formatCombined({ ...entry, method: "TCP", path: "", httpVersion: "" });
    expect(line).toMatch(/^127\.0\.0\.1 - - \[[^\]]+\] "-" 200 /);
  });

  it.each([
    ["a quote", '"', '\\"'],
    ["a backslash", "\\", "\\\\"],
    ["a line feed", "\n", "\\n"],
    ["a carriage return", "\r", "\\r"],
    ["a null byte", "\0", "\\x00"],
    ["the escape of terminals", "\u001b[2J", "\\x1b[2J"],
    ["a next-line byte", "\u0085", "\\x85"],
    ["a line separator", "\u2028", "\\xe2\\x80\\xa8"],
    ["half of such a character", "\ud83d", "\\xef\\xbf\\xbd"],
    ["printable ASCII", " !#[]^`{|}~", " !#[]^`{|}~"],
  ])("escapes %s in path, referer, user agent and backend", (_, text, escaped) => {
    const line = formatCombined({ ...entry, path: `/${text}`, referer: text, userAgent: text, backend: text });
    expect(line).toBe(
      `127.0.0.1 - - [10/Oct/2000:20:55:36 +0000] "GET /${escaped} HTTP/1.0" 200 2326 ` +
        `"${escaped}" "${escaped}" "${escaped}" 12.346`,
    );
  });
});
