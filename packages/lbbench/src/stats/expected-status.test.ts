import { describe, expect, it } from "vitest";
import { expectedStatus } from "./expected-status.js";

describe("expectedStatus", () => {
  it.each([
    ["2xx", 200, true],
    ["2xx", 299, true],
    ["2xx", 304, false],
    ["200,304", 304, true],
    ["200, 304", 304, true],
    ["200,304", 204, false],
    ["4XX,503", 404, true],
    ["4xx,503", 503, true],
    ["", 200, false],
    ["20", 200, false],
  ])("list %j and status %i: %j", (list, status, expected) => {
    expect(expectedStatus(list)(status)).toBe(expected);
  });
});
