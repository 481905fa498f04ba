import { describe, expect, it } from "vitest";
import type { RequestLogEntry } from "../options/options.js";
import { formatCombined } from "./format-combined.js";

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

/** What a reader of the log takes the line for: fields between spaces, in brackets or in quotes. */
function fieldsOf(line: string): readonly string[] {
  return line.match(/"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\S+/g) ?? [];
}

describe("formatCombined", () => {
  it("writes the combined log format with backend and duration", () => {
    expect(formatCombined(entry)).toBe(
      '127.0.0.1 - - [10/Oct/2000:20:55:36 +0000] "GET /apache_pb.gif?size=2 HTTP/1.0" 200 2326 ' +
        '"http://www.example.com/start.html" "Mozilla/4.08 [en] (Win98; I ;Nav)" "first" 12.346',
    );
  });

  it("writes - for everything that is missing", () => {
    const { method, path, httpVersion } = entry;
    const least = { method, path, httpVersion, durationMs: 0, startedAt: 0, bodyBytes: 0 };
    expect(formatCombined(least)).toBe(
      '- - - [01/Jan/1970:00:00:00 +0000] "GET /apache_pb.gif?size=2 HTTP/1.0" - - "-" "-" "-" 0.000',
    );
  });

  it("writes - for the request line of a connection in mode tcp", () => {
    expect(fieldsOf(formatCombined({ ...entry, method: "", path: "" }))[4]).toBe('"-"');
  });

  it.each([
    ["a quote", '"', '\\"'],
    ["a backslash", "\\", "\\\\"],
    ["a quote that was escaped already", '\\"', '\\\\\\"'],
    ["a line feed", "\n", "\\n"],
    ["a carriage return", "\r", "\\r"],
    ["a tab", "\t", "\\t"],
    ["a vertical tab", "\v", "\\v"],
    ["a backspace", "\b", "\\b"],
    ["a form feed", "\f", "\\x0c"],
    ["a null byte", "\0", "\\x00"],
    ["the escape of terminals", "\u001b[2J", "\\x1b[2J"],
    ["a delete", "\u007f", "\\x7f"],
    ["a C1 control byte", "\u009b", "\\x9b"],
    ["a next-line byte", "\u0085", "\\x85"],
    ["UTF-8 as Node hands it over", "\u00c3\u00a4", "\\xc3\\xa4"],
    ["a line separator", "\u2028", "\\xe2\\x80\\xa8"],
    ["a character outside the basic plane", "\u{1f600}", "\\xf0\\x9f\\x98\\x80"],
    ["half of such a character", "\ud83d", "\\xef\\xbf\\xbd"],
    ["printable ASCII", " !#[]^`{|}~", " !#[]^`{|}~"],
  ])("escapes %s in path, referer, user agent and backend", (_, text, escaped) => {
    const line = formatCombined({ ...entry, path: `/${text}`, referer: text, userAgent: text, backend: text });
    expect(line).toBe(
      `127.0.0.1 - - [10/Oct/2000:20:55:36 +0000] "GET /${escaped} HTTP/1.0" 200 2326 ` +
        `"${escaped}" "${escaped}" "${escaped}" 12.346`,
    );
  });

  it.each([
    ["ends its field and forges the next", 'x" "forged agent" "forged backend" 0.001'],
    [
      "ends the line and forges another",
      'x" "-" "-" 1\n6.6.6.6 - - [10/Oct/2000:20:55:36 +0000] "GET / HTTP/1.1" 200 1 "',
    ],
    ["hides its quote behind a backslash", '\\" 200 1 "'],
    ["ends with a backslash to eat the closing quote", "x\\"],
    ["clears the terminal of who reads the log", "\u001b[2J\u001b[1;1H\u009b2J"],
    ["returns the carriage to overwrite the line", "x\r127.0.0.1 - - nothing happened"],
  ])("gives the same number of fields on one line when a client %s", (_, attack) => {
    const line = formatCombined({ ...entry, path: attack, referer: attack, userAgent: attack });
    expect(line).toMatch(/^[ -~]+$/);
    const fields = fieldsOf(line);
    expect(fields).toHaveLength(11);
    expect(fields[0]).toBe("127.0.0.1");
    expect(fields.slice(9)).toEqual(['"first"', "12.346"]);
  });

  it("keeps an address from ending its field", () => {
    expect(fieldsOf(formatCombined({ ...entry, remoteAddress: 'a - "b\n' }))).toHaveLength(11);
    expect(formatCombined({ ...entry, remoteAddress: "a b" })).toMatch(/^a\\x20b - - /);
  });
});
