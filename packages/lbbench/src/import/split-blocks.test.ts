import { describe, expect, it } from "vitest";
import { readOutput } from "./read-output.js";
import { keptText } from "./test-support/kept-output.js";
import { readText, toldBy } from "./test-support/read-text.js";

const AB = keptText("ab/slow");
const WRK = keptText("wrk/latency");

/** A block of ab as people paste it, without what stands above the server. */
const PASTED = AB.slice(AB.indexOf("Server Software:"));

describe("what may stand in a file", () => {
  it("is output of several programs, with prompts, commands, progress and comments between", () => {
    const text = [
      "# first try, on the old server",
      "$ ab -n 600 -c 20 http://127.0.0.1:18765/slow",
      AB,
      "Completed 100 requests",
      "Finished 600 requests",
      "$ # now with wrk",
      WRK,
      keptText("autocannon/timed"),
      "user@host:~$ cat summary.json",
      keptText("k6/slow-export"),
      "$ exit",
    ].join("\n");
    expect(readText(text).map(({ program }) => program)).toEqual(["ab", "wrk", "autocannon", "k6"]);
  });

  it("is many blocks of ab without their banner, one right after the other", () => {
    const runs = readText(PASTED.repeat(5));
    expect(runs).toHaveLength(5);
    expect(runs.map(({ figures }) => figures)).toEqual(Array(5).fill(readText(AB)[0]?.figures));
  });

  it("is progress of ab in the middle of its output, as 2>&1 puts it there", () => {
    const mixed = AB.replace("(be patient)", "(be patient)\nCompleted 100 requests\nCompleted 200 requests");
    expect(readText(mixed)[0]?.figures).toEqual(readText(AB)[0]?.figures);
  });

  it.each([
    ["line ends of Windows", (text: string) => Buffer.from(text.replaceAll("\n", "\r\n"))],
    ["colours", (text: string) => Buffer.from(text.replaceAll(/^(\S+)/gm, "\u001b[32m$1\u001b[0m"))],
    ["UTF-8 with a mark", (text: string) => Buffer.from(`\uFEFF${text}`)],
    ["UTF-16, as PowerShell writes it", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["UTF-16 the other way round", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
  ])("may come with %s", (_, encode) => {
    for (const text of [AB, WRK, keptText("autocannon/timed"), keptText("hey/slow")]) {
      const told = text.includes("Summary:") ? { connections: 10 } : {};
      const [run] = readOutput(encode(text), "saved.txt", told);
      const [plain] = readText(text, told);
      expect(run === undefined ? run : toldBy(run)).toEqual(plain === undefined ? plain : toldBy(plain));
    }
  });
});

describe("what is refused, with file and line", () => {
  const cut = (text: string, before: string): string => text.slice(0, text.indexOf(before));
  const lineOf = (text: string, part: string): number => cut(text, part).split("\n").length;

  it.each([
    ["nothing", "", /^saved\.txt:1: expected what ab, wrk or hey prints \(in English\).*; got nothing$/],
    ["something else", "\nhello\n", /^saved\.txt:2: expected what ab, wrk or hey prints .*; got "hello"$/],
    [
      "other JSON",
      '{"a": 1}',
      /^saved\.txt:1: expected the JSON of autocannon -j, or a summary of k6 .*, got an object with a$/,
    ],
    [
      "a table of autocannon",
      keptText("../refused-output/table"),
      /^saved\.txt:1: this is a table of autocannon, expected its JSON/,
    ],
    ["the text of k6", keptText("../refused-output/text-summary"), /^saved\.txt:3: this is a summary of k6 as text/],
    ["requests of hey", "response-time,DNS+dialup,DNS\n0.1,0.2,0.3\n", /^saved\.txt:1: this is single requests of hey/],
    ["wrk giving up", "unable to connect to a:1 Connection refused\n", /^saved\.txt:1: this is wrk giving up/],
    [
      "a block without its beginning",
      PASTED.slice(PASTED.indexOf("Concurrency")),
      /^saved\.txt:1: these are figures of ab/,
    ],
    [
      "a block of wrk without its beginning",
      WRK.slice(WRK.indexOf("  Thread Stats")),
      /^saved\.txt:1: these are figures of wrk/,
    ],
    [
      "a block that is cut before another",
      cut(AB, "  90%") + AB,
      new RegExp(`line ${lineOf(AB, "  90%")}: it is cut|expected the time within which 90 %`),
    ],
    [
      "a block of wrk that is cut before another",
      `${cut(WRK, "Transfer")}\n${WRK}`,
      /^saved\.txt:14: expected a line with "Transfer\/sec:" of wrk/,
    ],
    [
      "ab without deviations",
      AB.replace("min  mean[+/-sd] median   max", "min   avg   max"),
      /^saved\.txt:\d+: this is ab without median and deviation \(-S\).*: run ab without -S$/,
    ],
    [
      "ab in HTML",
      "<p>\n This is ApacheBench, Version 2.3 <i>&lt;$Revision$&gt;</i><br>\n</p>\n",
      /^saved\.txt:2: this is ab in HTML \(-w\).*: run ab without -w$/,
    ],
    [
      "a list of JSON",
      `[${keptText("autocannon/timed").trim()}]`,
      /^saved\.txt:1: this is a list of JSON, expected one object after another/,
    ],
    ["a list of JSON over several lines", '\n[\n  {\n "a": 1 }\n]', /^saved\.txt:2: this is a list of JSON/],
    [
      "a banner without figures, before the command of another run",
      `${cut(AB, "Server Software:")}$ ab -n 600 -c 7 http://a/\n${PASTED}`,
      /^saved\.txt:\d+: cannot read what ab printed: it began in line 1 and is cut, or ab gave up/,
    ],
    ["bytes", `${AB}\u0000`, /^saved\.txt:\d+: expected text, got a file with bytes that no text has/],
  ])("%s", (_, text, message) => {
    expect(() => readText(text)).toThrow(message);
  });

  it("names the line of the file, not of the block", () => {
    const text = `# a\n# b\n${AB.replace("Failed requests:        0", "Failed requests:        none")}`;
    expect(() => readText(text)).toThrow(
      `saved.txt:${lineOf(text, "Failed requests")}: cannot read what ab printed: expected "Failed requests:" and its figures, got "Failed requests:        none"`,
    );
  });

  it.each([
    ["numbers with a comma", AB.replace(/taken for tests: +(\d+)\./, (found) => found.replace(".", ","))],
    [
      "ab in German",
      AB.replace("Complete requests:", "Abgeschlossene Anfragen:").replace("Failed requests:", "Fehlgeschlagen:"),
    ],
    ["wrk with commas", WRK.replaceAll(/(\d)\.(\d)/g, "$1,$2")],
    ["hey with commas", keptText("hey/slow").replaceAll(/(\d)\.(\d)/g, "$1,$2")],
    ["JSON with commas", keptText("autocannon/timed").replace('"mean":30.9', '"mean":30,9')],
    [
      "everything in French",
      "Ceci est ApacheBench, version 2.3\nRequêtes terminées : 1000\nRequêtes par seconde : 12,3\n",
    ],
  ])("%s", (_, text) => {
    expect(() => readText(text)).toThrow(/^saved\.txt:\d+/);
  });

  it("labels in another language, of which the first is named", () => {
    const text = AB.replace("Complete requests:", "Abgeschlossene Anfragen:")
      .replace("Failed requests:", "Fehlgeschlagen:")
      .replace("Transfer rate:", "Transferrate:");
    expect(() => readText(text)).toThrow(
      `saved.txt:${lineOf(AB, "Complete requests")}: cannot read what ab printed: expected a line of it in English, got "Abgeschlossene Anfragen:`,
    );
  });

  it.each(["utf16le", "utf16be"])("UTF-16 without a mark: %s", (encoding) => {
    const bytes = Buffer.from(AB, "utf16le");
    expect(() => readOutput(encoding === "utf16le" ? bytes : bytes.swap16(), "saved.txt")).toThrow(
      "saved.txt:1: expected text in UTF-8, got what looks like UTF-16 without a mark: save it as UTF-8",
    );
  });

  it("text that is not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from("fine\nand "), Buffer.from([0xff, 0xfe, 0x20])]);
    expect(() => readOutput(bytes, "saved.txt")).toThrow("saved.txt:2: expected text in UTF-8, got something else");
  });

  it("JSON that is cut, and what follows JSON in its line", () => {
    const text = keptText("k6/slow-data");
    expect(() => readText(text.slice(0, 500))).toThrow(
      /^saved\.txt:\d+: the JSON that begins in line 1 is cut: expected "}" at its end/,
    );
    expect(() => readText(`${text.trimEnd()} more`)).toThrow(
      /: expected nothing after the JSON that begins in line 1, got "more"$/,
    );
    expect(() => readText('{\n"a": 1,\n"b" 2\n}')).toThrow(/^saved\.txt:\d+: expected JSON: /);
  });
});
