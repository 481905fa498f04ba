import { readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";

const { groups: GROUPS } = JSON.parse(readFileSync(new URL(".ci/slow-groups.json", import.meta.url), "utf8")) as {
  readonly groups: Readonly<Record<string, { readonly folders: readonly string[] }>>;
};

const SHARED = {
  // A file for each core: vitest leaves one core free.
  maxWorkers: "100%",
  // What is waited for comes within milliseconds, but on a machine whose cores others keep busy.
  expect: { poll: { timeout: 60_000 } },
};
const INTEGRATION = "packages/*/{src,page,test}/**/*.integration.test.ts";
const SLOW = "**/*.slow.test.ts";

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
          ...SHARED,
        },
      },
      {
        test: { name: "integration", include: [INTEGRATION], testTimeout: 180_000, hookTimeout: 180_000, ...SHARED },
      },
      ...Object.entries(GROUPS).map(([name, { folders }]) => ({
        test: {
          name: `slow-${name}`,
          include: folders.map((folder) => `${folder}/**/*.slow.test.ts`),
          testTimeout: 180_000,
          hookTimeout: 180_000,
          ...SHARED,
        },
      })),
    ],
  },
});
