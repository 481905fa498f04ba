import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { inRepository } from "./repository.js";

const run = promisify(execFile);

const tests = readdirSync(inRepository("examples"))
  .filter((name) => name.startsWith("plugin-"))
  .flatMap((name) =>
    readdirSync(inRepository(`examples/${name}`))
      .filter((file) => file.endsWith(".test.mjs"))
      .map((file) => `examples/${name}/${file}`),
  );

describe("the examples of plugins", () => {
  it("are there of each kind", () => {
    expect(tests.map((file) => file.split("/")[1])).toEqual([
      "plugin-engine",
      "plugin-policy",
      "plugin-reporter",
      "plugin-server",
    ]);
  });

  it.each(tests)("pass their contract suite: %s", async (file) => {
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap", inRepository(file)]);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(5);
  });
});
