import { describe, expect, it } from "vitest";
import { parseThreshold } from "./parse-threshold.js";

describe("parseThreshold", () => {
  it.each([
    ["p99<50ms", { metric: "p99", operator: "<", value: 50 }],
    ["p999 <= 1.5s", { metric: "p999", operator: "<=", value: 1500 }],
    ["throughput>1000", { metric: "throughput", operator: ">", value: 1000 }],
    ["throughput>=0.5", { metric: "throughput", operator: ">=", value: 0.5 }],
    ["errors<1%", { metric: "errors", operator: "<", value: 0.01 }],
    ["errors<=0", { metric: "errors", operator: "<=", value: 0 }],
    ["errors<0.05", { metric: "errors", operator: "<", value: 0.05 }],
    ["errors<100%", { metric: "errors", operator: "<", value: 1 }],
  ])("reads %j", (source, expected) => {
    expect(parseThreshold(source)).toEqual({ source, ...expected });
  });

  it("keeps the text without the blanks around it", () => {
    expect(parseThreshold("  mean<5ms ").source).toBe("mean<5ms");
  });

  it.each(["", "fast", "p99", "p99=5ms", "p99==5ms", "<5ms", "p99<", "p99 < 5 ms"])(
    "refuses %j as no condition",
    (source) => {
      expect(() => parseThreshold(source)).toThrow(`expected a condition with <, <=, > or >=, such as p99<50ms`);
    },
  );

  it.each(["latency<5ms", "constructor<5ms", "P99<5ms"])("refuses the metric of %j", (source) => {
    expect(() => parseThreshold(source)).toThrow(/expected one of throughput, errors, .* or max in ".*", got "/);
  });

  it("suggests the metric that was meant", () => {
    expect(() => parseThreshold("troughput>5")).toThrow('got "troughput". Did you mean "throughput"?');
  });

  it("suggests milliseconds for a latency without a unit", () => {
    expect(() => parseThreshold("p99<50")).toThrow(
      'expected a time such as 50ms or 1.5s after the sign, got "p99<50"; did you mean "p99<50ms"?',
    );
    expect(() => parseThreshold("p99<50%")).toThrow(/got "p99<50%"$/);
  });

  it.each(["errors<101%", "errors<2", "errors<x", "errors<-1%", "errors<5ms"])("refuses the share of %j", (source) => {
    expect(() => parseThreshold(source)).toThrow("expected a share such as errors<1% or errors<0.01");
  });

  it("refuses a throughput with a unit", () => {
    expect(() => parseThreshold("throughput>1k")).toThrow(
      "expected a number of ok responses per second, such as throughput>1000",
    );
  });
});
