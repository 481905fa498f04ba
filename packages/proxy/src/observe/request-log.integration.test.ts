import fs, { existsSync, fstatSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { RequestLogEntry } from "../options/options.js";
import { temporaryPath } from "@lbbench/test-support/servers.js";
import { createRequestLogger, formatCombined } from "./request-log.js";

const entry: RequestLogEntry = {
  method: "GET",
  path: '/a"b?c=1',
  status: 200,
  backend: "first",
  durationMs: 1.23456,
  startedAt: Date.UTC(2000, 9, 10, 20, 55, 36, 999),
  remoteAddress: "127.0.0.1",
  httpVersion: "1.1",
  bodyBytes: 5,
  userAgent: "curl/8\u001b[2J\n",
};
const jsonLine =
  '{"level":"info","time":"2000-10-10T20:55:36.999Z","method":"GET","path":"/a\\"b?c=1","status":200,"backend":"first",' +
  '"remoteAddress":"127.0.0.1","httpVersion":"1.1","bodyBytes":5,"userAgent":"curl/8\\u001b[2J\\n","durationMs":1.235}\n';
const combinedLine =
  '127.0.0.1 - - [10/Oct/2000:20:55:36 +0000] "GET /a\\"b?c=1 HTTP/1.1" 200 5 ' +
  '"-" "curl/8\\x1b[2J\\n" "first" 1.235\n';

describe.each([
  ["json", jsonLine],
  ["combined", combinedLine],
] as const)("a request log in %s", (format, line) => {
  it("writes a line per request to a stream or a file, and ends it", async () => {
    const [stream, path] = [new PassThrough(), temporaryPath("requests.log")];
    const descriptor = openSync(path, "a");
    for (const destination of [stream, descriptor]) {
      const logger = await createRequestLogger(format, destination);
      logger.log(entry);
      logger.log(entry);
      await Promise.all([logger.close(), logger.close()]);
      // What comes after that is counted.
      logger.log(entry);
      expect(logger.dropped()).toBe(1);
      await expect(logger.flush()).resolves.toBeUndefined();
    }
    expect([await text(stream), await readFile(path, "utf8")]).toEqual([line + line, line + line]);
    expect(() => fstatSync(descriptor)).toThrow("EBADF");
  });

  it("has everything in the file after a flush, also what came while it was written", async () => {
    const path = temporaryPath("requests.log");
    const logger = await createRequestLogger(format, openSync(path, "a"));
    for (const count of [1, 5000, 1]) {
      for (let index = 0; index < count; index += 1) logger.log(entry);
      const flushed = logger.flush();
      logger.log(entry);
      await flushed;
    }
    await logger.flush();
    expect(await readFile(path, "utf8")).toBe(line.repeat(5005));
    await logger.close();
  });
});

describe("a request log", () => {
  it("writes whole lines at a time, of no more than a pipe takes without those of other processes in between", async () => {
    const write = vi.spyOn(fs, "write");
    onTestFinished(() => write.mockRestore());
    const descriptor = openSync(temporaryPath("requests.log"), "a");
    const logger = await createRequestLogger("json", descriptor);
    for (let count = 0; count < 1000; count += 1) logger.log(entry);
    await logger.close();
    const written = write.mock.calls.flatMap(([where, what]) => (where === descriptor ? String(what) : []));
    expect(written.length).toBeGreaterThan(10);
    expect(written.filter((text) => text.length > 4096 || !text.endsWith("\n"))).toEqual([]);
  });

  it("writes an entry that has only what every entry has, and warns of one without a complete answer", async () => {
    const stream = new PassThrough();
    const logger = await createRequestLogger("json", stream);
    const least = { method: "GET", path: "/", httpVersion: "1.0", bodyBytes: 0, durationMs: 0 };
    logger.log({ ...least, startedAt: 0 });
    logger.log({ ...entry, error: "The client closed the connection." });
    await logger.close();
    const [first = "", second = ""] = (await text(stream)).split("\n");
    expect(JSON.parse(first)).toEqual({ level: "info", time: "1970-01-01T00:00:00.000Z", ...least });
    const error = "The client closed the connection.";
    expect(JSON.parse(second)).toMatchObject({ level: "warn", error, path: entry.path });
  });

  it("writes entries that are few within a moment, without being asked", async () => {
    const path = temporaryPath("requests.log");
    const logger = await createRequestLogger("json", openSync(path, "a"));
    logger.log(entry);
    await expect.poll(() => readFile(path, "utf8"), { timeout: 30_000 }).toBe(jsonLine);
    await logger.close();
  });

  it("drops entries when the destination is 16 MiB behind", async () => {
    const stuck = new Writable({ write: () => undefined });
    const logger = await createRequestLogger("combined", stuck);
    for (let index = 0; index < 40; index += 1) logger.log({ ...entry, userAgent: "x".repeat(1024 * 1024) });
    expect(stuck.writableLength).toBeLessThan(18 * 1024 * 1024);
    expect(logger.dropped()).toBe(24);
  });

  it("tells of a stream that fails, and goes on", async () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error("The disk is gone.")) });
    const logger = await createRequestLogger("json", stream);
    logger.log(entry);
    await expect(logger.flush()).rejects.toThrow("The disk is gone.");
    logger.log(entry);
    expect(logger.dropped()).toBe(1);
    await expect(logger.close()).rejects.toThrow("The disk is gone.");
  });

  it.skipIf(!existsSync("/dev/full"))("tells of a full disk at flush and close, and goes on", async () => {
    const descriptor = openSync("/dev/full", "w");
    const logger = await createRequestLogger("json", descriptor);
    logger.log(entry);
    await expect(logger.flush()).rejects.toThrow("ENOSPC");
    logger.log(entry);
    await expect(logger.close()).rejects.toThrow("ENOSPC");
  });

  it("leaves the standard output open", async () => {
    const logger = await createRequestLogger("json", process.stdout);
    await logger.close();
    expect(process.stdout.writable).toBe(true);
  });

  it("refuses a format and a destination that are none", async () => {
    const refused = expect.objectContaining({ name: "BalancerOptionsError" });
    await expect(createRequestLogger("xml" as "json", 1)).rejects.toEqual(refused);
    await expect(createRequestLogger("json", 0)).rejects.toEqual(refused);
    await expect(createRequestLogger("json", 1.5)).rejects.toEqual(refused);
    await expect(createRequestLogger("json", "log.txt" as unknown as number)).rejects.toThrow(
      'destination: expected a writable stream or a file descriptor above 0 (1 is the standard output), got "log.txt".',
    );
  });
});

describe("a line of the combined format", () => {
  it("writes - for everything that is missing", () => {
    const least = { method: "GET", path: "/", httpVersion: "1.0", durationMs: 0, startedAt: 0, bodyBytes: 0 };
    expect(formatCombined(least)).toBe('- - - [01/Jan/1970:00:00:00 +0000] "GET / HTTP/1.0" - - "-" "-" "-" 0.000');
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
      `127.0.0.1 - - [10/Oct/2000:20:55:36 +0000] "GET /${escaped} HTTP/1.1" 200 5 ` +
        `"${escaped}" "${escaped}" "${escaped}" 1.235`,
    );
  });
});
