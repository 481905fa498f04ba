import { describe, expect, it } from "vitest";
import type { Level } from "../../model/level.js";
import type { RequestSpec } from "../../model/scenario.js";
import type { AskedLoad, Load } from "../../plugin.js";
import { orderAb } from "../ab/order.js";
import { refuseAb } from "../ab/refuse.js";
import { orderHey } from "../hey/order.js";
import { refuseHey } from "../hey/refuse.js";
import { orderWrk } from "../wrk/order.js";
import { quoteLua } from "../wrk/quote-lua.js";
import { refuseWrk } from "../wrk/refuse.js";
import { aProgramLoad } from "./test-support/kept-runs.js";

const COUNTED: Level = { connections: 10, requests: 1000 };
const TIMED: Level = { connections: 10, durationMs: 2000 };

function aLoad(level: Level, request: Partial<RequestSpec> = {}, overrides: Partial<Load> = {}): Load {
  const load = aProgramLoad(level, overrides);
  return { ...load, request: { ...load.request, ...request } };
}

/** The values that follow a flag. */
function valuesOf(args: readonly string[], flag: string): readonly string[] {
  return args.flatMap((arg, index) => (args[index - 1] === flag ? [arg] : []));
}

const HOSTILE = "$(touch /tmp/owned) `id` \"quoted\" 'single' ; | & \\ %s ü";

describe("what ab is told", () => {
  it("of a number of requests", () => {
    const { args } = orderAb(aLoad(COUNTED));
    expect(args).toEqual([
      "-q",
      "-v",
      "1",
      "-r",
      "-k",
      "-c",
      "10",
      "-s",
      "2",
      "-n",
      "1000",
      "-e",
      "percentiles.csv",
      "http://127.0.0.1:18099/",
    ]);
  });

  it("of a time: more requests than it can send, after -t, which sets a number of its own", () => {
    const { args } = orderAb(aLoad(TIMED));
    expect(args.join(" ")).toContain("-t 2 -n 500000");
    expect(orderAb(aLoad({ connections: 1, durationMs: 3_600_000 })).args.join(" ")).toContain("-n 50000000");
    expect(orderAb(aLoad({ connections: 1, durationMs: 100 }, {}, { atEnd: "drain" })).args.join(" ")).toContain(
      "-t 1",
    );
  });

  it("opens a connection for each request when it is asked to", () => {
    expect(orderAb(aLoad(COUNTED, {}, { keepAlive: false })).args).not.toContain("-k");
  });

  it.each([
    ["HEAD", ["-i"]],
    ["DELETE", ["-m", "DELETE"]],
    ["PUT", ["-u", "body"]],
    ["POST", ["-p", "body"]],
  ])("of the method %s", (method, flags) => {
    expect(orderAb(aLoad(COUNTED, { method })).args).toEqual(expect.arrayContaining(flags));
  });

  it("of bodies as they are, and of their type", () => {
    const body = Buffer.from([0, 255, 10]).toString("base64");
    const headers = [
      ["content-type", "a/b"],
      ["X-A", "1"],
    ] as const;
    const { args, files } = orderAb(aLoad(COUNTED, { method: "POST", body, bodyEncoding: "base64", headers }));
    expect(files).toEqual({ body: Buffer.from([0, 255, 10]) });
    expect(valuesOf(args, "-T")).toEqual(["a/b"]);
    expect(valuesOf(args, "-H")).toEqual(["X-A: 1"]);
  });
});

describe("what hey is told", () => {
  it("of a number of requests, and of a time to the millisecond", () => {
    expect(orderHey(aLoad(COUNTED), { program: "hey" }).args).toEqual([
      "-c",
      "10",
      "-n",
      "1000",
      "-t",
      "2",
      "-disable-compression",
      "-disable-redirects",
      "-m",
      "GET",
      "http://127.0.0.1:18099/",
    ]);
    const { args } = orderHey(aLoad({ connections: 2, durationMs: 100 }, {}, { keepAlive: false }), {
      program: "hey",
      cpus: 2,
    });
    expect(args.join(" ")).toContain("-z 100ms");
    expect(args).toEqual(expect.arrayContaining(["-disable-keepalive", "-cpus"]));
  });

  it("of the host, which it does not take as a header", () => {
    const { args } = orderHey(aLoad(COUNTED, { headers: [["Host", "a.example"]] }), { program: "hey" });
    expect(valuesOf(args, "-host")).toEqual(["a.example"]);
    expect(valuesOf(args, "-H")).toEqual([]);
  });
});

describe("what wrk is told", () => {
  it("of a time", () => {
    expect(orderWrk(aLoad(TIMED), { program: "wrk", threads: 2 }).args).toEqual([
      "-t",
      "2",
      "-c",
      "10",
      "-d",
      "2s",
      "--timeout",
      "2s",
      "-s",
      "script.lua",
      "http://127.0.0.1:18099/",
    ]);
  });

  it("of the exact bytes of the request, in a script in which they cannot become anything else", () => {
    const { files, args } = orderWrk(
      aLoad(TIMED, { headers: [["X-A", HOSTILE]], method: "POST", body: '"]]end\n\0' }),
      {
        program: "wrk",
        threads: 1,
      },
    );
    const script = String(files["script.lua"]);
    const [, literal = ""] = /local bytes = "([^"]*)"/.exec(script) ?? [];
    const bytes = Buffer.from(
      literal.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number(code))),
      "latin1",
    ).toString("latin1");
    expect(bytes).toContain(`X-A: ${HOSTILE}\r\n`);
    expect(bytes.endsWith('\r\n\r\n"]]end\n\0')).toBe(true);
    expect(args.join(" ")).not.toContain("touch");
  });

  it("writes a digit after an escaped byte so that it is not taken for a part of it", () => {
    expect(quoteLua(Buffer.from("\n1a\u0000"))).toBe('"\\0101a\\000"');
  });
});

describe("every program", () => {
  const orders = {
    ab: (load: Load) => orderAb(load),
    hey: (load: Load) => orderHey(load, { program: "hey" }),
    wrk: (load: Load) => orderWrk(load, { program: "wrk", threads: 1 }),
  };

  it.each(Object.entries(orders))("%s gets a URL with a query and an IPv6 address as one argument", (_, order) => {
    const url = "http://[::1]:8080/a?b=c&d=%20e";
    expect(order(aLoad(TIMED, {}, { url })).args.at(-1)).toBe(url);
  });

  it.each(Object.entries(orders))("%s gets credentials as a header, and not in its URL", (name, order) => {
    const { args, files } = order(aLoad(TIMED, {}, { url: "http://us%40er:p%3Aw@127.0.0.1:1/" }));
    expect(args.at(-1)).toBe("http://127.0.0.1:1/");
    const line = `Authorization: Basic ${Buffer.from("us@er:p:w").toString("base64")}`;
    const inScript = quoteLua(Buffer.from(line)).slice(1, -1);
    const told = [...valuesOf(args, "-H"), ...Object.values(files).map(String)].join("\n");
    expect(told).toContain(name === "wrk" ? inScript : line);
  });

  it("gets words of a header as one argument, whatever is in them", () => {
    const load = aLoad(COUNTED, { headers: [["X-A", HOSTILE]] });
    expect(valuesOf(orderAb(load).args, "-H")).toEqual([`X-A: ${HOSTILE}`]);
    expect(valuesOf(orders.hey(load).args, "-H")).toEqual([`X-A: ${HOSTILE}`]);
  });
});

describe("what is refused", () => {
  const asked = (level: Level, request: Partial<RequestSpec> = {}, overrides: Partial<Load> = {}): AskedLoad => ({
    ...aLoad(level, request, overrides),
    levels: [level],
  });
  const wrkWith = (threads: number) => (load: AskedLoad) => refuseWrk(load, { program: "wrk", threads });

  it.each<[string, string | undefined, RegExp]>([
    [
      "a timeout of ab in fractions",
      refuseAb(asked(COUNTED, {}, { timeoutMs: 1500 })),
      /--timeout 1s or 2s, got 1500 ms/,
    ],
    ["a short timeout of hey", refuseHey(asked(COUNTED, {}, { timeoutMs: 150 })), /expected --timeout 1s, got 150 ms/],
    ["a timeout of wrk in fractions", wrkWith(1)(asked(TIMED, {}, { timeoutMs: 2001 })), /--timeout 2s or 3s/],
    [
      "a duration of ab in fractions",
      refuseAb(asked({ connections: 1, durationMs: 1500 })),
      /-d 1s or 2s, got 1500 ms/,
    ],
    ["a duration of wrk in fractions", wrkWith(1)(asked({ connections: 1, durationMs: 300 })), /-d 1s, got 300 ms/],
    [
      "fewer requests than connections for ab",
      refuseAb(asked({ connections: 9, requests: 8 })),
      /-n 9 or more for -c 9/,
    ],
    [
      "more connections than ab has",
      refuseAb(asked({ connections: 20_001, requests: 90_000 })),
      /20000 connections at most/,
    ],
    ["a body of ab with PATCH", refuseAb(asked(COUNTED, { method: "PATCH", body: "x" })), /with POST and PUT only/],
    ["a Content-Length for ab", refuseAb(asked(COUNTED, { headers: [["content-length", "3"]] })), /Content-Length/],
    [
      "requests that hey does not send",
      refuseHey(asked({ connections: 300, requests: 1000 })),
      /-n 900 or 1200 for -c 300/,
    ],
    ["fewer requests than connections for hey", refuseHey(asked({ connections: 9, requests: 8 })), /-n 9 for -c 9/],
    [
      "a repeated header of hey",
      refuseHey(
        asked(COUNTED, {
          headers: [
            ["X-A", "1"],
            ["x-a", "2"],
          ],
        }),
      ),
      /x-a several times/,
    ],
    ["an agent of hey", refuseHey(asked(COUNTED, { headers: [["User-Agent", "me"]] })), /User-Agent as it is given/],
    ["an empty header of hey", refuseHey(asked(COUNTED, { headers: [["X-A", ""]] })), /have a value/],
    ["a method of hey in small letters", refuseHey(asked(COUNTED, { method: "purge" })), /capitals/],
    ["HEAD for wrk", wrkWith(1)(asked(TIMED, { method: "HEAD" })), /HEAD/],
    [
      "connections that threads of wrk do not divide",
      wrkWith(4)(asked(TIMED)),
      /4 threads divide without a rest, got 10/,
    ],
  ])("is %s", (_, refusal, message) => {
    expect(refusal).toMatch(message);
  });

  it("is nothing that can be done exactly", () => {
    expect([refuseAb(asked(COUNTED)), refuseAb(asked(TIMED)), refuseHey(asked(COUNTED))]).toEqual(
      Array(3).fill(undefined),
    );
    expect([wrkWith(2)(asked(TIMED)), refuseHey(asked({ connections: 3, durationMs: 123 }))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
