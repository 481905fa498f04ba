import { expect, it } from "vitest";
import { cellEndMs, cellPercentileMs, latencyCell, mergeCells } from "./latency-cells.js";

it.each([0, 1, 1.5, 999, 1000, 123_456.7, 6e7])("puts %d us into a cell that ends above it, by 9 %% at most", (us) => {
  const end = cellEndMs(latencyCell(us)) * 1000;
  expect(end).toBeGreaterThan(us);
  expect(end / Math.max(1, us)).toBeLessThanOrEqual(2 ** (1 / 8) + 1e-9);
});

it("adds up cells, in order, and reads percentiles off them", () => {
  const [fast, slow] = [latencyCell(1000), latencyCell(200_000)];
  const merged = mergeCells([
    [[slow, 1]],
    [
      [fast, 90],
      [slow, 9],
    ],
    [],
  ]);
  expect(merged).toEqual([
    [fast, 90],
    [slow, 10],
  ]);
  const percentiles = [50, 90, 90.1, 100].map((percentile) => cellPercentileMs(merged, percentile));
  expect(percentiles).toEqual([cellEndMs(fast), cellEndMs(fast), cellEndMs(slow), cellEndMs(slow)]);
  expect(cellPercentileMs([], 50)).toBeNull();
});
