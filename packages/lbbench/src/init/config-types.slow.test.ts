import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { planInit } from "./plan-init.js";
import { aFolder, someAnswers, SUBJECTS } from "./test-support/fixtures.js";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
const TSC = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));

/** What the compiler says of files, as strictly as it can; types are those of the built package. */
async function compile(folder: string, files: readonly string[], module: string, resolution: string): Promise<string> {
  // Declarations are checked as well: a project that has no @types/node may do that.
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes"];
  const args = [TSC, ...flags, "--target", "es2023", "--module", module, "--moduleResolution", resolution, ...files];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

/** All configs that can be written, each under a name of its own. */
function writeConfigs(folder: string): readonly string[] {
  return Object.values(SUBJECTS).flatMap((subject) => {
    const workflow = subject.kind === "command" || subject.kind === "balanced";
    const { files } = planInit(someAnswers({ subject, workflow }), aFolder(), {
      tool: { npm: "lbbench@1" },
      force: false,
    });
    return files
      .filter(({ path }) => path.endsWith(".ts"))
      .map(({ path, content }) => {
        const name = `${subject.kind}.${path}`;
        writeFileSync(join(folder, name), content);
        return name;
      });
  });
}

function aProject(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(PACKAGE, join(folder, "node_modules/lbbench"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

it.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("the compiler accepts every config, without types of Node: %s, %s", async (module, resolution) => {
  const folder = aProject();
  expect(await compile(folder, writeConfigs(folder), module, resolution)).toBe("");
});
