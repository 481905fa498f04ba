import { defineConfig } from "vitest/config";

/** Tests that a busy machine would fail or falsify: they measure, or compare what was measured. */
const QUIET = [
  "packages/lbbench/src/cli/{max-*,help-speed,*-command,sweep-margin,grpc}.integration.test.ts",
  "packages/lbbench/src/{run,doctor,api}/**/*.integration.test.ts",
  "packages/lbbench/test/*.integration.test.ts",
  "packages/lbbench/test/ground-truth/*.integration.test.ts",
  "packages/lbbench/test/repository/proxy-bench.integration.test.ts",
  "packages/action/test/**/*.integration.test.ts",
];
/** What is waited for comes within milliseconds, but for a machine that is held up. */
const PATIENCE = { expect: { poll: { timeout: 20_000 } } };
/** A machine of CI may stand still for seconds: what fails there with real processes is tried once more, and marked `(retry x1)`. */
const SECOND_TRY = process.env["CI"] === undefined ? {} : { retry: 1 };
const LIMITS = { testTimeout: 60_000, hookTimeout: 60_000, ...PATIENCE, ...SECOND_TRY };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/{src,page,test}/**/*.test.ts"],
          exclude: ["**/*.integration.test.ts"],
          // Many render whole reports: on a busy machine that takes longer than what vitest waits by default.
          testTimeout: 30_000,
          ...PATIENCE,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "integration",
          include: ["packages/*/src/**/*.integration.test.ts", "packages/*/test/**/*.integration.test.ts"],
          exclude: QUIET,
          sequence: { groupOrder: 1 },
          maxWorkers: 2,
          ...LIMITS,
        },
      },
      {
        test: {
          name: "quiet",
          include: QUIET,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          ...LIMITS,
        },
      },
    ],
  },
});
