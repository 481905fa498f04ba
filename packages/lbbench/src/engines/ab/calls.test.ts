import { describe, expect, it } from "vitest";
import type { Level } from "../../model/level.js";
import type { RequestSpec } from "../../model/scenario.js";
import type { Load } from "../../plugin.js";
import { aRequest } from "../../test-support/fixtures.js";
import { aLoad as anyLoad } from "../../test-support/load.js";
import { callAb, refusalOf } from "./engine.js";

const COUNTED: Level = { connections: 10, requests: 1000 };
const TIMED: Level = { connections: 10, durationMs: 2000 };
const HOSTILE = "$(touch /tmp/owned) `id` \"quoted\" 'single' ; | & \\ %s ü";

const aLoad = (level: Level, request: Partial<RequestSpec> = {}, overrides: Partial<Load> = {}): Load =>
  anyLoad(level, { request: aRequest(request), ...overrides });
const call = (...load: Parameters<typeof aLoad>) => callAb(aLoad(...load));

/** The values that follow a flag. */
function valuesOf(args: readonly string[], flag: string): readonly string[] {
  return args.flatMap((arg, index) => (args[index - 1] === flag ? [arg] : []));
}

describe("what ab is told", () => {
  it.each<[string, Load, Readonly<Record<string, string>>]>([
    ["a number of requests", aLoad(COUNTED), { "-n": "1000", "-c": "10", "-s": "2" }],
    ["a time", aLoad(TIMED), { "-t": "2", "-n": "500000" }],
    ["a long time", aLoad({ connections: 1, durationMs: 3_600_000 }), { "-n": "50000000" }],
    ["a short warm-up", aLoad({ connections: 1, durationMs: 100 }, {}, { atEnd: "drain" }), { "-t": "1" }],
    ["a method", aLoad(COUNTED, { method: "DELETE" }), { "-m": "DELETE" }],
    ["PUT", aLoad(COUNTED, { method: "PUT" }), { "-u": "body" }],
    ["POST", aLoad(COUNTED, { method: "POST" }), { "-p": "body" }],
    ["a type", aLoad(COUNTED, { method: "POST", headers: [["content-type", "a/b"]] }), { "-T": "a/b" }],
    ["a header", aLoad(COUNTED, { headers: [["X-A", HOSTILE]] }), { "-H": `X-A: ${HOSTILE}` }],
  ])("%s", (_, load, expected) => {
    const { args } = callAb(load);
    for (const [flag, value] of Object.entries(expected)) expect(valuesOf(args, flag)).toEqual([value]);
    expect(args.at(-1)).toBe("http://127.0.0.1:18099/");
  });

  it("whether connections are kept, that a HEAD has no body, and bodies as they are", () => {
    const each = call(COUNTED, {}, { keepAlive: false });
    expect([call(COUNTED), each].map(({ args }) => args.includes("-k"))).toEqual([true, false]);
    expect(call(COUNTED, { method: "HEAD" }).args).toContain("-i");
    // -t sets a number of requests of its own.
    expect(call(TIMED).args.join(" ")).toContain("-t 2 -n 500000");
    const body = Buffer.from([0, 255, 10]);
    const post = call(COUNTED, { method: "POST", body: body.toString("base64"), bodyEncoding: "base64" });
    expect(post.files).toEqual({ body });
  });

  it("a URL as one argument, and its credentials as a header", () => {
    const url = "http://[::1]:8080/a?b=c&d=%20e";
    expect(call(TIMED, {}, { url }).args.at(-1)).toBe(url);
    const { args } = call(TIMED, {}, { url: "http://us%40er:p%3Aw@127.0.0.1:1/" });
    expect(args.at(-1)).toBe("http://127.0.0.1:1/");
    expect(valuesOf(args, "-H")).toEqual([`Authorization: Basic ${Buffer.from("us@er:p:w").toString("base64")}`]);
  });
});

describe("what is refused", () => {
  const refusal = (level: Level, request: Partial<RequestSpec> = {}, overrides: Partial<Load> = {}) =>
    refusalOf({ ...aLoad(level, request, overrides), levels: [level] });

  it.each<[string, string | undefined, RegExp]>([
    ["a timeout in fractions", refusal(COUNTED, {}, { timeoutMs: 1500 }), /--timeout 1s or 2s, got 1500 ms/],
    ["a duration in fractions", refusal({ connections: 1, durationMs: 1500 }), /-d 1s or 2s, got 1500 ms/],
    ["fewer requests than connections", refusal({ connections: 9, requests: 8 }), /-n 9 or more for -c 9/],
    ["more connections than it has", refusal({ connections: 20_001, requests: 90_000 }), /20000 connections at most/],
    ["a body with PATCH", refusal(COUNTED, { method: "PATCH", body: "x" }), /with POST and PUT only/],
    ["a Content-Length", refusal(COUNTED, { headers: [["content-length", "3"]] }), /Content-Length/],
  ])("is %s", (_, told, message) => {
    expect(told).toMatch(message);
  });

  it("is nothing that can be done exactly", () => {
    expect([refusal(COUNTED), refusal(TIMED)]).toEqual([undefined, undefined]);
  });
});
