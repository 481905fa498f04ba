// Runs the slow tests: all groups, or those that are named (`npm run test:slow -- proxy browser`). What is left goes to vitest.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { GROUPS, howToInstall, missingPrograms } from "./missing-programs.mjs";

const args = process.argv.slice(2);
const firstFlag = args.findIndex((arg) => arg.startsWith("-"));
const named = firstFlag === -1 ? args : args.slice(0, firstFlag);
const flags = firstFlag === -1 ? [] : args.slice(firstFlag);
const groups = named.length > 0 ? named : Object.keys(GROUPS);
const unknown = groups.filter((group) => !Object.hasOwn(GROUPS, group));
if (unknown.length > 0) {
  process.stderr.write(`Expected groups of slow tests: ${Object.keys(GROUPS).join(", ")}. Got ${unknown.join(" ")}.\n`);
  process.exit(2);
}

const missing = missingPrograms(groups);
if (missing.length > 0) {
  const how = howToInstall(missing).join(" && ");
  const isCi = process.env.CI !== undefined;
  process.stderr.write(
    `${isCi ? "Expected" : "Skipping the tests of"} ${missing.join(", ")}${isCi ? ", but not found" : ""}. Install: ${how}\n`,
  );
  if (isCi) process.exit(1);
}

const vitest = fileURLToPath(new URL("vitest.mjs", import.meta.resolve("vitest/package.json")));
const projects = groups.flatMap((group) => ["--project", `slow-${group}`]);
const { status } = spawnSync(process.execPath, [vitest, "run", ...projects, ...flags], {
  stdio: "inherit",
  env: { ...process.env, LBBENCH_MISSING_PROGRAMS: missing.join(",") },
});
process.exitCode = status ?? 1;
