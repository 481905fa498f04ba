import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // One run at a time: two that measure at once measure each other.
    fileParallelism: false,
    // A run takes as long as its steps: see duration, trials and targets.
    testTimeout: 120_000,
  },
});
