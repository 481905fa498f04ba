import { describe, expect, it } from "vitest";
import type { Level } from "../../model/level.js";
import type { RequestSpec } from "../../model/scenario.js";
import type { AskedLoad, Load } from "../../plugin.js";
import { aRequest } from "../../test-support/fixtures.js";
import { aLoad as anyLoad } from "../../test-support/load.js";
import { ab } from "./ab.js";
import { programLoad, refusalOf } from "./adapter.js";
import { hey } from "./hey.js";
import { quoteLua, wrk } from "./wrk.js";

const COUNTED: Level = { connections: 10, requests: 1000 };
const TIMED: Level = { connections: 10, durationMs: 2000 };
const HOSTILE = "$(touch /tmp/owned) `id` \"quoted\" 'single' ; | & \\ %s ü";

const aLoad = (level: Level, request: Partial<RequestSpec> = {}, overrides: Partial<Load> = {}): Load =>
  anyLoad(level, { request: aRequest(request), ...overrides });

/** The values that follow a flag. */
function valuesOf(args: readonly string[], flag: string): readonly string[] {
  return args.flatMap((arg, index) => (args[index - 1] === flag ? [arg] : []));
}

const CALLS = {
  ab: (load: Load) => ab.call(programLoad(load), { program: "ab" }),
  hey: (load: Load) => hey.call(programLoad(load), { program: "hey", cpus: 2 }),
  wrk: (load: Load) => wrk.call(programLoad(load), { program: "wrk", threads: 2 }),
};
type Program = keyof typeof CALLS;

describe("what a program is told", () => {
  it.each<[Program, string, Load, Readonly<Record<string, string>>]>([
    ["ab", "a number of requests", aLoad(COUNTED), { "-n": "1000", "-c": "10", "-s": "2" }],
    ["ab", "a time", aLoad(TIMED), { "-t": "2", "-n": "500000" }],
    ["ab", "a long time", aLoad({ connections: 1, durationMs: 3_600_000 }), { "-n": "50000000" }],
    ["ab", "a short warm-up", aLoad({ connections: 1, durationMs: 100 }, {}, { atEnd: "drain" }), { "-t": "1" }],
    ["ab", "a method", aLoad(COUNTED, { method: "DELETE" }), { "-m": "DELETE" }],
    ["ab", "PUT", aLoad(COUNTED, { method: "PUT" }), { "-u": "body" }],
    ["ab", "POST", aLoad(COUNTED, { method: "POST" }), { "-p": "body" }],
    ["ab", "a type", aLoad(COUNTED, { method: "POST", headers: [["content-type", "a/b"]] }), { "-T": "a/b" }],
    ["ab", "a header", aLoad(COUNTED, { headers: [["X-A", HOSTILE]] }), { "-H": `X-A: ${HOSTILE}` }],
    ["hey", "a number of requests", aLoad(COUNTED), { "-n": "1000", "-c": "10", "-t": "2", "-m": "GET" }],
    ["hey", "a time", aLoad({ connections: 2, durationMs: 100 }), { "-z": "100ms", "-cpus": "2" }],
    [
      "hey",
      "a host, which it does not take as a header",
      aLoad(COUNTED, { headers: [["Host", "a.test"]] }),
      { "-host": "a.test" },
    ],
    ["hey", "a header", aLoad(COUNTED, { headers: [["X-A", HOSTILE]] }), { "-H": `X-A: ${HOSTILE}` }],
    ["wrk", "a time", aLoad(TIMED), { "-t": "2", "-c": "10", "-d": "2s", "--timeout": "2s", "-s": "script.lua" }],
  ])("%s: %s", (program, _, load, expected) => {
    const { args } = CALLS[program](load);
    for (const [flag, value] of Object.entries(expected)) expect(valuesOf(args, flag)).toEqual([value]);
    expect(args.at(-1)).toBe("http://127.0.0.1:18099/");
  });

  it("whether connections are kept, that a HEAD has no body, and bodies as they are", () => {
    const each = aLoad(COUNTED, {}, { keepAlive: false });
    expect([CALLS.ab(aLoad(COUNTED)), CALLS.ab(each)].map(({ args }) => args.includes("-k"))).toEqual([true, false]);
    expect(CALLS.hey(each).args).toContain("-disable-keepalive");
    expect(CALLS.ab(aLoad(COUNTED, { method: "HEAD" })).args).toContain("-i");
    // -t sets a number of requests of its own.
    expect(CALLS.ab(aLoad(TIMED)).args.join(" ")).toContain("-t 2 -n 500000");
    const body = Buffer.from([0, 255, 10]);
    const post = aLoad(COUNTED, { method: "POST", body: body.toString("base64"), bodyEncoding: "base64" });
    expect(CALLS.ab(post).files).toEqual({ body });
  });

  it("the exact bytes of the request, to wrk, in a script in which they cannot become anything else", () => {
    const request = { headers: [["X-A", HOSTILE]], method: "POST", body: '"]]end\n\0' } as const;
    const { files, args } = CALLS.wrk(aLoad(TIMED, request));
    const [, literal = ""] = /local bytes = "([^"]*)"/.exec(String(files["script.lua"])) ?? [];
    const code = (_: string, digits: string): string => String.fromCharCode(Number(digits));
    const bytes = Buffer.from(literal.replaceAll(/\\(\d{3})/g, code), "latin1").toString("latin1");
    expect(bytes).toContain(`X-A: ${HOSTILE}\r\n`);
    expect(bytes.endsWith('\r\n\r\n"]]end\n\0')).toBe(true);
    expect(args.join(" ")).not.toContain("touch");
    // A digit after an escaped byte is not a part of it.
    expect(quoteLua(Buffer.from("\n1a\u0000"))).toBe('"\\0101a\\000"');
  });

  it.each(Object.entries(CALLS))("%s: a URL as one argument, and its credentials as a header", (name, call) => {
    const url = "http://[::1]:8080/a?b=c&d=%20e";
    expect(call(aLoad(TIMED, {}, { url })).args.at(-1)).toBe(url);
    const { args, files } = call(aLoad(TIMED, {}, { url: "http://us%40er:p%3Aw@127.0.0.1:1/" }));
    expect(args.at(-1)).toBe("http://127.0.0.1:1/");
    const line = `Authorization: Basic ${Buffer.from("us@er:p:w").toString("base64")}`;
    const told = [...valuesOf(args, "-H"), ...Object.values(files).map(String)].join("\n");
    expect(told).toContain(name === "wrk" ? quoteLua(Buffer.from(line)).slice(1, -1) : line);
  });
});

describe("what is refused", () => {
  const asked = (level: Level, request: Partial<RequestSpec> = {}, overrides: Partial<Load> = {}): AskedLoad => ({
    ...aLoad(level, request, overrides),
    levels: [level],
  });
  const byAb = (...load: Parameters<typeof asked>) => refusalOf(ab, asked(...load), { program: "ab" });
  const byHey = (...load: Parameters<typeof asked>) => refusalOf(hey, asked(...load), { program: "hey" });
  const byWrk = (load: AskedLoad, threads = 1) => refusalOf(wrk, load, { program: "wrk", threads });
  const twice = [
    ["X-A", "1"],
    ["x-a", "2"],
  ] as const;

  it.each<[string, string | undefined, RegExp]>([
    ["a timeout of ab in fractions", byAb(COUNTED, {}, { timeoutMs: 1500 }), /--timeout 1s or 2s, got 1500 ms/],
    ["a timeout of wrk in fractions", byWrk(asked(TIMED, {}, { timeoutMs: 2001 })), /--timeout 2s or 3s/],
    ["a duration of ab in fractions", byAb({ connections: 1, durationMs: 1500 }), /-d 1s or 2s, got 1500 ms/],
    ["fewer requests than connections for ab", byAb({ connections: 9, requests: 8 }), /-n 9 or more for -c 9/],
    ["more connections than ab has", byAb({ connections: 20_001, requests: 90_000 }), /20000 connections at most/],
    ["a body of ab with PATCH", byAb(COUNTED, { method: "PATCH", body: "x" }), /with POST and PUT only/],
    ["a Content-Length for ab", byAb(COUNTED, { headers: [["content-length", "3"]] }), /Content-Length/],
    ["requests that hey does not send", byHey({ connections: 300, requests: 1000 }), /-n 900 or 1200 for -c 300/],
    ["a repeated header of hey", byHey(COUNTED, { headers: twice }), /x-a several times/],
    ["an agent of hey", byHey(COUNTED, { headers: [["User-Agent", "me"]] }), /User-Agent as it is given/],
    ["a method of hey in small letters", byHey(COUNTED, { method: "purge" }), /capitals/],
    ["HEAD for wrk", byWrk(asked(TIMED, { method: "HEAD" })), /HEAD/],
    [
      "connections that threads of wrk do not divide",
      byWrk(asked(TIMED), 4),
      /4 threads divide without a rest, got 10/,
    ],
  ])("is %s", (_, refusal, message) => {
    expect(refusal).toMatch(message);
  });

  it("is nothing that can be done exactly", () => {
    const done = [byAb(COUNTED), byAb(TIMED), byHey(COUNTED), byWrk(asked(TIMED), 2)];
    expect([...done, byHey({ connections: 3, durationMs: 123 })]).toEqual(Array(5).fill(undefined));
  });
});
