import { describe, expect, it } from "vitest";
import { renderSparkline } from "./sparkline.js";

describe("renderSparkline", () => {
  it("is as high as the share of the highest, from 0", () => {
    expect(renderSparkline([0, 1, 2, 3, 4, 5, 6, 7], 7, 40)).toBe("▁▂▃▄▅▆▇█");
    expect(renderSparkline([50, 100], 200, 40)).toBe("▃▅");
  });

  it("leaves a gap where nothing is known, and is flat where everything is 0", () => {
    expect(renderSparkline([7, null, 7], 7, 40)).toBe("█ █");
    expect(renderSparkline([0, 0, 0], 0, 40)).toBe("▁▁▁");
  });

  it("lets neighbours share a bar where there are more values than columns", () => {
    expect(renderSparkline([0, 0, 0, 7, 7, 7, 7, null], 7, 4)).toBe("▁▅██");
    const many = Array.from({ length: 997 }, (_, index) => index);
    expect(renderSparkline(many, 997, 8)).toBe("▁▂▃▄▅▆▇█");
  });

  it("draws nothing of nothing, and nothing where there is no room", () => {
    expect([renderSparkline([], 1, 9), renderSparkline([1], 1, 0), renderSparkline([1], 1, -3)]).toEqual(["", "", ""]);
  });
});
