import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { inRepository } from "./repository.js";

it("the bench of the balancer finds the same bytes behind all contenders", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [inRepository("bench/proxy/run.mjs"), "--check"]);
  expect(stdout).toMatch(/answers of \d+ contenders are those of the backend/);
});
