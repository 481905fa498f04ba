import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const { groups: GROUPS } = JSON.parse(readFileSync(new URL(".ci/slow-groups.json", import.meta.url), "utf8")) as {
  readonly groups: Readonly<Record<string, { readonly folders: readonly string[] }>>;
};

const CORES = availableParallelism();
const SHARED = {
  // What is waited for comes within milliseconds, but on a machine whose cores others keep busy.
  expect: { poll: { timeout: 60_000 } },
};
/** Tests of one file wait for timeouts and processes while those of another compute. */
const FAST = { ...SHARED, maxWorkers: CORES + 1 };
const INTEGRATION = "packages/*/{src,page,test}/**/*.integration.test.ts";
const SLOW = "**/*.slow.test.ts";
/** They mock modules, load them anew, or count what the engine of JavaScript makes: each needs a process of its own. */
const ALONE = [
  "packages/lbbench/src/report/png-unavailable.integration.test.ts",
  "packages/lbbench/src/run/cheap-steps.integration.test.ts",
  "packages/lbbench/src/system/visits.integration.test.ts",
  "packages/lbbench/test/ground-truth/allocations.integration.test.ts",
  "packages/wire/src/bare-socket.integration.test.ts",
  "packages/wire/src/connection.integration.test.ts",
];
const OF_INTEGRATION = { testTimeout: 180_000, hookTimeout: 180_000, ...FAST };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["packages/*/{src,page,test}/**/*.test.ts"],
          exclude: [INTEGRATION, SLOW],
          // Most files take milliseconds: what they import is loaded once for all of them.
          pool: "threads",
          isolate: false,
          // Longer than what is waited for, so that a failure says what did not come.
          testTimeout: 120_000,
          hookTimeout: 60_000,
          ...FAST,
        },
      },
      // A process starts once for many files.
      { test: { name: "integration", include: [INTEGRATION], exclude: ALONE, isolate: false, ...OF_INTEGRATION } },
      { test: { name: "integration-alone", include: ALONE, ...OF_INTEGRATION } },
      ...Object.entries(GROUPS).map(([name, { folders }]) => ({
        test: {
          name: `slow-${name}`,
          include: folders.map((folder) => `${folder}/**/*.slow.test.ts`),
          testTimeout: 180_000,
          hookTimeout: 180_000,
          ...SHARED,
          // They start programs that fill cores of their own.
          maxWorkers: CORES,
          // Files of projects that differ in their workers cannot run at the same time: these come after the others.
          sequence: { groupOrder: 1 },
        },
      })),
    ],
  },
});
