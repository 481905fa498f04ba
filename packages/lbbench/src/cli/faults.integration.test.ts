import { expect, it } from "vitest";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";

it.each([
  ["kill backend-9 at 1s", 'The target "mine" has no part "backend-9". It has balancer (', "backend-2 (kill, start, "],
  ["slow balancer by 1s at 1s", 'The target "mine" cannot do "slow" to "balancer". It has balancer (kill, '],
])("what a target cannot do is refused before any load: %s", async (fault, ...says) => {
  const folder = temporaryFolder();
  writeConfig(folder, { targets: [{ name: "mine", server: "balanced", options: { backends: 2 } }] });
  const outcome = await runCommand(["sweep", "-d", "2s", "--fault", fault, "-o", "out", "--quiet"], folder);
  expectRefusal(outcome, says);
  expect(existsSync(join(folder, "out/result.json"))).toBe(false);
});
