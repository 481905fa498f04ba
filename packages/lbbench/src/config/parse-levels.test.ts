import { describe, expect, it } from "vitest";
import { parseLevels } from "./parse-levels.js";

describe("parseLevels", () => {
  it.each([
    ["5", [5]],
    ["1,50,100", [1, 50, 100]],
    ["100,1", [100, 1]],
    [" 1 , 2 ", [1, 2]],
    ["2,2,1,2", [2, 1]],
    ["10:50:10", [10, 20, 30, 40, 50]],
    ["10:45:10", [10, 20, 30, 40]],
    ["3:6", [3, 4, 5, 6]],
    ["7:7", [7]],
    ["1,10:30:10,25", [1, 10, 20, 30, 25]],
  ])("reads %j", (text, values) => {
    expect(parseLevels(text)).toEqual(values);
  });

  it.each(["", "x", "0", "-1", "1.5", "1e3", "0x10", "99999999999999999999", "0:10:1", "1:10:0", "1:x:1", "1::2"])(
    "refuses %j",
    (text) => {
      expect(() => parseLevels(text)).toThrow(
        "expected whole numbers of at least 1, such as 1,50,100 or 10:100:10, got",
      );
    },
  );

  it("names the entry that is wrong, and the list it is in", () => {
    expect(() => parseLevels("1,,2")).toThrow('got "" in "1,,2"');
    expect(() => parseLevels("1,x:5:1")).toThrow('got "x" in "1,x:5:1"');
  });

  it("refuses a range that falls, or has too many parts", () => {
    expect(() => parseLevels("10:1:1")).toThrow(
      "expected a range that rises, such as 10:100:10 (first:last:step), got",
    );
    expect(() => parseLevels("1:2:3:4")).toThrow('expected a range such as 10:100:10 (first:last:step), got "1:2:3:4"');
  });

  it("refuses more values than anybody would wait for, before it makes them", () => {
    expect(() => parseLevels("1:9007199254740991")).toThrow("expected at most 1000 values, got 9007199254740991");
    expect(() => parseLevels("1:600,1001:1600")).toThrow("expected at most 1000 values, got 1200");
  });
});
