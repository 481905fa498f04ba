import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { BackendStartError, runningHere, urlOf } from "./backend.js";
import { GRPC_SAMPLE } from "./defaults.js";
import { HandlerSpecError } from "./handlers.js";
import { collectDurations } from "./start-pool.js";
import { parseUpstream } from "./start-grpc.js";
import { startSample, type SampleChoice } from "./start-sample.js";
import { jsonBody, textBody } from "./work.js";

describe("the options of a sample server", () => {
  it.each<[SampleChoice["kind"], object, RegExp]>([
    ["single", { port: -1 }, /^port: expected a whole number/],
    ["single", { port: NaN }, /, got NaN\.$/],
    ["cluster", { workers: 0 }, /^workers: expected a whole number from 1/],
    ["cluster", {}, /^workers: expected a whole number from 1 to 1024, got null\.$/],
    ["pool", { policy: "simple", pool: 4 }, /pool: expected 1 with the policy "simple"/],
    ["pool", { policy: "simple", queue: 10 }, /queue: expected 0 with the policy "simple"/],
    ["pool", { pool: 0 }, /pool: expected a whole number from 1 to 256, got 0/],
    ["pool", { queue: -1 }, /queue: expected a whole number from 0/],
    ["pool", { policy: "drop" }, /policy: expected one of block, drop-tail, drop-head, simple, got "drop"/],
    ["pool", { policy: "constructor" }, /policy: expected one of/],
    ["pool", { refusal: "503" }, /refusal: expected one of status, close, got "503"/],
    ["pool", { retryAfterS: 0.5 }, /retryAfterS: expected a whole number/],
    ["pool", { adminPort: 65_536 }, /adminPort: expected a whole number from 0 to 65535/],
    ["grpc", { maxCalls: 0 }, /^maxCalls: expected a whole number from 1 upwards, or none, got 0\.$/],
    ["grpc", { refuseWith: "ABORTED" }, /^refuseWith: expected one of UNAVAILABLE, RES.*"ABORTED"/],
    ["grpc-gateway", { upstream: "http://127.0.0.1:1" }, /^upstream: expected a URL like grpc:/],
    ["grpc-gateway", { channels: 0 }, /^channels: expected a whole number from 1 to 1024, got 0\.$/],
    ["grpc-gateway", { deadlineMs: 0 }, /^deadlineMs: expected a whole number from 1 to \d+, got 0\.$/],
  ])("%s refuses %o", async (kind, options, message) => {
    const given = { handler: "hello", upstream: "grpc://127.0.0.1:1", ...options };
    const failure = await startSample({ kind, options: given } as SampleChoice).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(BackendStartError);
    expect(failure).toHaveProperty("message", expect.stringMatching(message));
  });

  it.each(["single", "cluster", "pool", "grpc"] as const)("%s refuses a handler that there is not", async (kind) => {
    await expect(startSample({ kind, options: { handler: "helo" } } as SampleChoice)).rejects.toThrow(HandlerSpecError);
    const options = { handler: { name: "hello", sizeBytes: -3 } };
    await expect(startSample({ kind, options } as SampleChoice)).rejects.toThrow(HandlerSpecError);
  });
});

describe("the gRPC sample", () => {
  it("has a file, packed with it, that declares the service and its method", async () => {
    const text = await readFile(GRPC_SAMPLE.protoFile, "utf8");
    const [, packageName, serviceName] = /^package (.*);$[^]*^service (\w+)/m.exec(text) ?? [];
    expect(`${packageName}.${serviceName}`).toBe(GRPC_SAMPLE.service);
    expect(text).toContain(`rpc ${GRPC_SAMPLE.method} (`);
    const manifest = await readFile(new URL("../package.json", import.meta.url), "utf8");
    expect((JSON.parse(manifest) as { readonly files: unknown }).files).toContain("proto");
  });

  it.each([
    ["127.0.0.1", "grpc://127.0.0.1:5000"],
    ["0.0.0.0", "grpc://127.0.0.1:5000"],
    ["::1", "grpc://[::1]:5000"],
  ])("at %s is called at %s", (host, url) => {
    expect(urlOf(host, 5000, "grpc")).toBe(url);
    expect(`grpc://${parseUpstream(url)}`).toBe(url);
  });

  it.each(["", "127.0.0.1:5000", "grpc://127.0.0.1", "grpc://:5000", "grpc://a:1/path", "grpc://a?b:1"])(
    "is not at %j",
    (url) => {
      expect(() => parseUpstream(url)).toThrow(`upstream: expected a URL like grpc://127.0.0.1:50051, got "${url}".`);
    },
  );
});

it("a server at the usual port of its scheme has that port", () => {
  const never = async (): Promise<never> => Promise.reject();
  expect(runningHere("http://127.0.0.1:80", never, never, never, never).port).toBe(80);
});

it.each([2, 3, 33, 34, 35, 36, 64, 65, 10_240])("a body of %d bytes has exactly as many, and JSON is JSON", (size) => {
  expect(Buffer.byteLength(textBody("hello\n", size))).toBe(size);
  expect(Buffer.byteLength(jsonBody(size))).toBe(size);
  expect(() => JSON.parse(jsonBody(size)) as unknown).not.toThrow();
});

it("durations have their count, and all else to three digits", () => {
  const durations = collectDurations();
  expect(durations.summary()).toEqual({ count: 0, meanMs: 0, maxMs: 0, p50Ms: 0, p99Ms: 0 });
  for (let ms = 1; ms <= 1000; ms++) durations.add(ms);
  const rounded = Object.values(durations.summary()).map((value) => Number(value.toPrecision(3)));
  expect(rounded).toEqual([1000, 501, 1000, 500, 990]);
});
