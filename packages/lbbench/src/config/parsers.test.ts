import { describe, expect, it } from "vitest";
import {
  parseAddress,
  parseDuration,
  parseLevels,
  parseMargin,
  parsePlace,
  parseThreshold,
  parseWorkers,
} from "./parsers.js";
import { isSentAsWritten, pathAsSent } from "./values.js";

const { threshold, duration, levels, margin, workers, address, place } = {
  workers: parseWorkers,
  place: parsePlace,
  address: parseAddress,
  duration: parseDuration,
  levels: parseLevels,
  margin: parseMargin,
  threshold: (source: string) => {
    const { metric, operator, value } = parseThreshold(source);
    return [metric, operator, value];
  },
};

describe("what people write", () => {
  it.each<[(text: string) => unknown, string, unknown]>([
    [duration, "500ms", 500],
    [duration, "5s", 5000],
    [duration, "1.5m", 90_000],
    [duration, " 3s ", 3000],
    [duration, "1.001s", 1001],
    [duration, "0", 0],
    [levels, "100,1", [100, 1]],
    [levels, "2,2,1,2", [2, 1]],
    [levels, "10:45:10", [10, 20, 30, 40]],
    [levels, "3:6", [3, 4, 5, 6]],
    [levels, "1,10:30:10,25", [1, 10, 20, 30, 25]],
    [workers, "wait:3", { from: "wait", count: 3 }],
    [workers, " wait:12:2m ", { from: "wait", count: 12, waitMs: 120_000 }],
    [workers, "ssh:gen1, me@gen2,::1", { from: "ssh", count: 3, hosts: ["gen1", "me@gen2", "::1"] }],
    [address, "10.0.0.1", { host: "10.0.0.1" }],
    [address, "gen-1.test:5557", { host: "gen-1.test", port: 5557 }],
    [address, "fe80::1%eth0", { host: "fe80::1%eth0" }],
    [address, "[::1]:80", { host: "::1", port: 80 }],
    [place, "unix:/run/an app.sock", "unix:/run/an app.sock"],
    [margin, "5%", 0.05],
    [margin, " 2.5 % ", 0.025],
    [margin, "0.05", 0.05],
    [threshold, "p99<50ms", ["p99", "<", 50]],
    [threshold, "p999 <= 1.5s", ["p999", "<=", 1500]],
    [threshold, "throughput>=0.5", ["throughput", ">=", 0.5]],
    [threshold, "errors<1%", ["errors", "<", 0.01]],
    [threshold, "errors<=0", ["errors", "<=", 0]],
    [threshold, "errors<100%", ["errors", "<", 1]],
  ])("is read: %o of %j", (parse, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each<[(text: string) => unknown, string, readonly string[]]>([
    [
      duration,
      "expected a time such as 500ms, 5s or 2m, got",
      ["", "s", "-5s", "5 s", "1e3ms", ".5s", "Infinity", "٣s"],
    ],
    [duration, "expected a time of at most 576h (24 days), got", ["600h", `${"9".repeat(200)}h`]],
    [duration, 'got "5"; a number needs a unit: 5s, 5ms', ["5"]],
    [place, 'expected a place such as "127.0.0.1:8443" or "unix:/run/app.sock"', ["unix:./run/app.sock", "unix:", "a"]],
    [
      levels,
      "expected whole numbers of at least 1, such as",
      ["", "x", "0", "-1", "1.5", "1e3", "0x10", "0:10:1", "1::2"],
    ],
    [levels, 'got "" in "1,,2"', ["1,,2"]],
    [levels, "expected a range that rises, such as 10:100:10 (first:last:step), got", ["10:1:1", "1:2:3:4"]],
    [levels, "expected at most 1000 values, got", ["1:9007199254740991", "1:600,1001:1600"]],
    [
      workers,
      'expected workers such as "wait:3"',
      ["", "3", "wait:0", "wait:x", "ssh:", "ssh:a,,b", "wait:3:", "ftp:3"],
    ],
    [workers, "expected a time such as 500ms", ["wait:3:soon"]],
    [address, 'expected an address such as "10.0.0.1"', ["", "a:b", "a:70000", "http://a", "a b", "[::1", "a:1:2"]],
    [
      margin,
      "expected a share from 0 % to below 100 %, such as",
      ["", "five", "-5%", "100%", "1", "5%%", "1e-2", "0x1"],
    ],
    [margin, 'Did you mean "5%"?', ["5"]],
    [threshold, "expected a condition with <, <=, > or >=", ["", "fast", "p99=5ms", "p99==5ms", "<5ms", "p99 < 5 ms"]],
    [threshold, "expected one of throughput, errors, ", ["latency<5ms", "constructor<5ms", "P99<5ms"]],
    [threshold, 'got "troughput". Did you mean "throughput"?', ["troughput>5"]],
    [threshold, 'after the sign, got "p99<50"; did you mean "p99<50ms"?', ["p99<50"]],
    [threshold, 'at most 100%, got "errors<1"; did you mean "errors<1%"?', ["errors<1"]],
    [
      threshold,
      "expected a share such as errors<1%",
      ["errors<101%", "errors<2", "errors<x", "errors<-1%", "errors<5ms"],
    ],
    [threshold, "expected a number of requests/s, such as throughput>1000", ["throughput>1k"]],
  ])("is refused: %o says %j", (parse, message, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(message);
  });
});

describe("a path", () => {
  it.each([
    "/",
    "/cart?of=me&it='s",
    "/a b/ü?q=a b",
    "/%7Euser/%zz?%2e",
    "//other.test/a",
    "/a|b^c`{d}?[e]=<f>",
    "/..a?../x",
  ])("is sent as it is written: %s", (path) => expect(isSentAsWritten(path)).toBe(true));

  it.each([
    ["/frag#b", "/frag"],
    ["/dots/../up", "/up"],
    ["/a/.", "/a/"],
    ["/%2e%2E/a", "/a"],
    ["/\\other.test/a", "//other.test/a"],
    ["/a\tb", "/ab"],
    ["/a ", "/a"],
    ["/a?", "/a"],
  ])("is not sent as it is written: %j goes out as %s", (path, sent) => {
    expect([isSentAsWritten(path), pathAsSent(path)]).toEqual([false, sent]);
  });
});
