import { expect, it } from "vitest";
import { compareWithLlhttp } from "./test-support/compare-with-llhttp.js";

it.each(["requests", "answers"] as const)(
  "half a million draws of %s: what is accepted is read by llhttp in the same way",
  (what) => {
    const { heads, whole } = compareWithLlhttp(what, 500_000, 10_000);
    expect(heads).toBeGreaterThan(300_000);
    expect(whole).toBeGreaterThan(250_000);
  },
  600_000,
);
