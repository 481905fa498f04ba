import { describe, expect, it } from "vitest";
import { countPorts, parsePortRange } from "./count-ports.js";

describe("parsePortRange", () => {
  it("reads what the kernel prints", () => {
    expect(parsePortRange("32768\t60999\n")).toEqual([32_768, 60_999]);
  });

  it.each(["", "\n", "32768", "a b"])("takes %j for unknown", (text) => {
    expect(parsePortRange(text)).toBeNull();
  });
});

describe("countPorts", () => {
  it.each([
    ["", 100],
    ["\n", 100],
    ["40000\n", 99],
    ["40010-40019,40015-40024,80", 85],
    ["39990-40009,40090-50000", 80],
    ["40000-40099", 0],
  ])("leaves out what is reserved by %j: %d are left of 100", (reserved, expected) => {
    expect(countPorts([40_000, 40_099], reserved)).toBe(expected);
  });
});
