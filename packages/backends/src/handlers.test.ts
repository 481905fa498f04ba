import { describe, expect, it } from "vitest";
import { describeHandlers, formatHandler, HandlerSpecError, parseHandler, type HandlerSpec } from "./handlers.js";

const understood: [text: string, spec: HandlerSpec, canonical: string][] = [
  ["hello", { name: "hello" }, "hello"],
  ["hello,size=10kB", { name: "hello", sizeBytes: 10_240 }, "hello,size=10240"],
  [" hello , size = 0 ", { name: "hello", sizeBytes: 0 }, "hello,size=0"],
  ["json,size=1.5kB", { name: "json", sizeBytes: 1536 }, "json,size=1536"],
  ["echo", { name: "echo" }, "echo"],
  ["sleep:10ms", { name: "sleep", delay: { kind: "fixed", ms: 10 } }, "sleep:10ms"],
  ["sleep:0.1s", { name: "sleep", delay: { kind: "fixed", ms: 100 } }, "sleep:100ms"],
  ["sleep:2m", { name: "sleep", delay: { kind: "fixed", ms: 120_000 } }, "sleep:120000ms"],
  [
    "sleep:uniform(5ms, 20ms),seed=42",
    { name: "sleep", delay: { kind: "uniform", minMs: 5, maxMs: 20 }, seed: 42 },
    "sleep:uniform(5ms,20ms),seed=42",
  ],
  [
    "sleep:exponential(10ms),size=1MB",
    { name: "sleep", delay: { kind: "exponential", meanMs: 10 }, seed: 1, sizeBytes: 1_048_576 },
    "sleep:exponential(10ms),seed=1,size=1048576",
  ],
  [
    "sleep:normal(10ms,0.0005s)",
    { name: "sleep", delay: { kind: "normal", meanMs: 10, stddevMs: 0.5 }, seed: 1 },
    "sleep:normal(10ms,0.5ms),seed=1",
  ],
  ["cpu:2ms", { name: "cpu", busyMs: 2 }, "cpu:2ms"],
  ["cpu:0.07s", { name: "cpu", busyMs: 70 }, "cpu:70ms"],
  ["work", { name: "work", workMs: 1 }, "work"],
  ["work:1ms", { name: "work", workMs: 1 }, "work"],
  ["work:2.5ms,size=7", { name: "work", workMs: 2.5, sizeBytes: 7 }, "work:2.5ms,size=7"],
  ["error:10%", { name: "error", share: 0.1, status: 500 }, "error:10%"],
  ["error:7%,status=503", { name: "error", share: 0.07, status: 503 }, "error:7%,status=503"],
  [
    "error:0.5%,seed=7,status=500,size=3",
    { name: "error", share: 0.005, status: 500, seed: 7, sizeBytes: 3 },
    "error:0.5%,seed=7,size=3",
  ],
  ["events:0.1s", { name: "events", everyMs: 100 }, "events:100ms"],
  ["events:1ms,size=9", { name: "events", everyMs: 1, sizeBytes: 9 }, "events:1ms,size=9"],
];

describe("parseHandler", () => {
  it.each<[text: string, message: RegExp]>([
    ["", /expected one of hello, json, echo, sleep, cpu, work, error, events, got ""/],
    ["slep:10ms", /expected one of hello, json, echo, sleep, cpu, work, error, events, got "slep"/],
    ["constructor", /expected one of .*, got "constructor"/],
    ["hello:world", /expected nothing after "hello:", got "world"/],
    ["echo,size=1", /expected no option for echo, got "size"/],
    ["hello,delay=1ms", /expected an option of hello \(size\), got "delay"/],
    ["hello,__proto__=1", /expected an option of hello \(size\), got "__proto__"/],
    ["hello,size", /expected an option in the form key=value, got "size"/],
    ["hello,size=1,size=2", /expected the option size once/],
    ["hello,size=10zB", /expected a size of at most 1GB, like 512, 10kB or 1MB, got "10zB"/],
    ["hello,size=2GB", /expected a size of at most 1GB/],
    ["hello,", /expected an option in the form key=value, got ""/],
    ["json,size=1", /expected a size of at least 2 bytes/],
    ["events:0.5ms", /expected a time of at least 1ms between events, got "0.5ms"/],
    ["sleep", /expected a duration with a unit, like 10ms, 1\.5s or 2m, got nothing/],
    ["sleep:5", /expected a duration with a unit.*\(without a unit it is not clear: write 5ms or 5s\), got "5"/],
    ["sleep:-5ms", /expected a duration with a unit.*, got "-5ms"/],
    ["sleep:2880m", /expected a duration of at most a day, got "2880m"/],
    ["sleep:10ms,seed=1", /expected no seed for a delay that is always the same, got "seed=1"/],
    ["sleep:uniform(5ms)", /expected uniform\(MIN,MAX\), got "uniform\(5ms\)"/],
    ["sleep:uniform(20ms,5ms)", /expected uniform\(MIN,MAX\) with MIN not above MAX/],
    ["sleep:exponential()", /expected a duration with a unit/],
    ["sleep:normal(1ms,2ms,3ms)", /expected normal\(MEAN,STDDEV\)/],
    ["sleep:pareto(1ms)", /expected uniform\(MIN,MAX\), exponential\(MEAN\) or normal\(MEAN,STDDEV\)/],
    ["sleep:uniform(1ms,2ms),seed=x", /expected a seed from 0 to 4294967295, got "x"/],
    ["work:2", /expected a duration with a unit.*write 2ms or 2s/],
    ["error", /expected a share from 0% to 100%, like 10%, got nothing/],
    ["error:0.1", /expected a share from 0% to 100%, like 10%, got "0\.1"/],
    ["error:101%", /expected a share from 0% to 100%/],
    ["error:10%,status=404", /expected a status from 500 to 599, got "404"/],
  ])("refuses %j and says why", (text, message) => {
    expect(() => parseHandler(text)).toThrow(HandlerSpecError);
    expect(() => parseHandler(text)).toThrow(message);
  });

  it("says in its error what came, and how each handler is written", () => {
    const names = describeHandlers().match(/^ {2}\w+/gm);
    expect(names?.join("")).toBe("  hello  json  echo  sleep  cpu  work  error  events");
    expect(() => parseHandler("x:1")).toThrow(/^Handler "x:1": [^]*Handlers:\n {2}hello/);
  });
});

describe("formatHandler", () => {
  it("writes the values of a delay in their order, whichever the data has", () => {
    const delay = { stddevMs: 2, meanMs: 10, kind: "normal" } as const;
    expect(formatHandler({ name: "sleep", delay })).toBe("sleep:normal(10ms,2ms)");
  });

  it.each(understood)("writes what %s is understood as", (text, spec, canonical) => {
    expect(parseHandler(text)).toEqual(spec);
    expect(formatHandler(spec)).toBe(canonical);
    expect(parseHandler(canonical)).toEqual(spec);
  });

  it("gives every share back as it was", () => {
    const errors = Array.from({ length: 1001 }, (_, index) => ({ share: index / 1000, status: 500 }));
    const specs = errors.map((error): HandlerSpec => ({ name: "error", ...error }));
    expect(specs.map((spec) => parseHandler(formatHandler(spec)))).toEqual(specs);
  });
});
