import { expect, it } from "vitest";
import { compareWithNghttp2, LIVES_THROUGH_MANY } from "../test-support/compare-with-nghttp2.js";

// In a file of its own, so that both directions run at the same time.
it.runIf(LIVES_THROUGH_MANY)(
  "half a million sequences of frames with requests: what is accepted is read by nghttp2 in the same way",
  async () => {
    const { heads, whole, plain, refused } = await compareWithNghttp2("requests", 500_000, 10_000);
    expect(heads).toBeGreaterThan(500_000);
    expect(whole).toBeGreaterThan(400_000);
    expect(plain).toBeGreaterThan(180_000);
    expect(refused).toBeGreaterThan(85_000);
  },
  600_000,
);
