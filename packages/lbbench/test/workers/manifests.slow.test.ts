import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { needs } from "../support/needs.js";
import { runCommand } from "../support/run-command.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const run = promisify(execFile);

describe.runIf(needs("kubernetes-validate"))("lbbench workers kubernetes", () => {
  it("prints what the schemas of Kubernetes allow, and nothing that they do not know", async () => {
    const { code, stdout } = await runCommand(["workers", "kubernetes", "--count", "8"], "/");
    expect(code).toBe(0);
    const files = { "right.yaml": stdout, "wrong.yaml": stdout.replace("completions:", "completion:") };
    const folder = temporaryFolder(files);
    const validate = (file: string) => run("python3", ["-m", "kubernetes_validate", "--strict", join(folder, file)]);
    const { stdout: told } = await validate("right.yaml");
    expect(told.match(/ passed for resource /g)).toHaveLength(4);
    await expect(validate("wrong.yaml")).rejects.toMatchObject({
      stdout: expect.stringContaining("'completion' was unexpected"),
    });
  });
});
