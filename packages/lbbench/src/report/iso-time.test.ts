import { expect, test } from "vitest";
import { elapsedBetweenMs, formatTimestamp } from "./iso-time.js";

test.each([
  ["2026-11-05T10:00:00.000Z", "2026-11-05T10:01:12.345Z", 72_345],
  ["2023-12-31T23:59:59Z", "2024-01-01T00:00:01Z", 2000],
  ["2024-02-28T00:00:00Z", "2024-03-01T00:00:00Z", 2 * 86_400_000],
  ["2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z", 86_400_000],
])("from %s to %s it is %d ms", (from, to, elapsedMs) => {
  expect(elapsedBetweenMs(from, to)).toBeCloseTo(elapsedMs, 3);
});

test("a time of another form has no distance and is shown as it came", () => {
  expect(elapsedBetweenMs("yesterday", "2026-11-05T10:00:00Z")).toBeNull();
  expect(formatTimestamp("yesterday")).toBe("yesterday");
});

test("a time is shown to the minute", () => {
  expect(formatTimestamp("2026-11-05T10:07:59.123Z")).toBe("2026-11-05 10:07 UTC");
});
