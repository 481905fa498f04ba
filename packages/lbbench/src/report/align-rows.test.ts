import { describe, expect, it } from "vitest";
import { alignRows, widthOf } from "./align-rows.js";

describe("alignRows", () => {
  it("makes every column as wide as its widest cell, words to the left and figures to the right", () => {
    expect(
      alignRows(
        ["left", "right", "left"],
        [
          ["target", "req/s", "note"],
          ["a", "10,000", ""],
          ["balanced", "7", "machine"],
        ],
      ),
    ).toEqual(["target     req/s  note", "a         10,000", "balanced       7  machine"]);
  });

  it("counts characters that take two columns of a terminal as two", () => {
    expect(
      alignRows(
        ["left", "right"],
        [
          ["东京", "1"],
          ["plain", "负载"],
        ],
      ),
    ).toEqual(["东京      1", "plain  负载"]);
  });

  it("has no lines for no rows", () => {
    expect(alignRows(["left"], [])).toEqual([]);
  });

  it("counts the gaps before further columns", () => {
    expect("target".length + widthOf([6, 4])).toBe("target  10,000  note".length);
  });
});
