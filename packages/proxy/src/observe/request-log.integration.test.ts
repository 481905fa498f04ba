import { execFile } from "node:child_process";
import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestLogEntry } from "../options/options.js";
import { createRequestLogger } from "./request-log.js";

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

/** A path in a folder that ends with the test. */
async function freshPath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lbbench-request-log-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, "requests.log");
}

describe.each([
  ["json", jsonLine],
  ["combined", combinedLine],
] as const)("a request log in %s", (format, line) => {
  it("writes a line per request to a stream, and ends it", async () => {
    const stream = new PassThrough();
    const logger = await createRequestLogger(format, stream);
    logger.log(entry);
    logger.log(entry);
    await logger.close();
    expect(await text(stream)).toBe(line + line);
  });

  it("writes a line per request to a file, and closes it", async () => {
    const path = await freshPath();
    const descriptor = openSync(path, "a");
    const logger = await createRequestLogger(format, descriptor);
    logger.log(entry);
    logger.log(entry);
    await logger.close();
    expect(await readFile(path, "utf8")).toBe(line + line);
    expect(() => fstatSync(descriptor)).toThrow("EBADF");
  });

  it("has everything in the file after a flush, also what came while it was written", async () => {
    const path = await freshPath();
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
  it("writes an entry that has only what every entry has", async () => {
    const stream = new PassThrough();
    const logger = await createRequestLogger("json", stream);
    logger.log({ method: "GET", path: "/", durationMs: 0, startedAt: 0, httpVersion: "1.0", bodyBytes: 0 });
    await logger.close();
    expect(JSON.parse(await text(stream))).toEqual({
      level: "info",
      time: "1970-01-01T00:00:00.000Z",
      method: "GET",
      path: "/",
      httpVersion: "1.0",
      bodyBytes: 0,
      durationMs: 0,
    });
  });

  it("warns of a request without a complete answer", async () => {
    const stream = new PassThrough();
    const logger = await createRequestLogger("json", stream);
    logger.log({ ...entry, error: "The client closed the connection." });
    await logger.close();
    expect(JSON.parse(await text(stream))).toMatchObject({
      level: "warn",
      error: "The client closed the connection.",
      path: entry.path,
    });
  });

  it("writes entries that are few within a moment, without being asked", async () => {
    const path = await freshPath();
    const logger = await createRequestLogger("json", openSync(path, "a"));
    logger.log(entry);
    await expect.poll(() => readFile(path, "utf8"), { timeout: 30_000 }).toBe(jsonLine);
    await logger.close();
  });

  it("counts entries that come after it was closed, and closes once", async () => {
    const logger = await createRequestLogger("json", new PassThrough().resume());
    await Promise.all([logger.close(), logger.close()]);
    logger.log(entry);
    expect(logger.dropped()).toBe(1);
    await expect(logger.flush()).resolves.toBeUndefined();
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

  it("tells of a pipe whose reader is gone, and drops what follows", async () => {
    const path = await freshPath();
    await promisify(execFile)("mkfifo", [path]);
    const reader = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const descriptor = openSync(path, "w");
    onTestFinished(() => closeSync(descriptor));
    const logger = await createRequestLogger("json", descriptor);
    logger.log(entry);
    await logger.flush();
    expect((await reader.read({ buffer: Buffer.alloc(1024) })).bytesRead).toBe(jsonLine.length);
    await reader.close();
    logger.log(entry);
    await expect(logger.flush()).rejects.toThrow("EPIPE");
    logger.log(entry);
    expect(logger.dropped()).toBe(1);
    await expect(logger.close()).rejects.toThrow("EPIPE");
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
