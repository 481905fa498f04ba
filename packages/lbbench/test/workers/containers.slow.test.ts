import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { readDocument } from "@lbbench/test-support/repository.js";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

const run = promisify(execFile);

describe.runIf(needs("kubernetes-validate"))("examples/many-machines/kubernetes.yaml", () => {
  it("has what the schemas of Kubernetes allow, and nothing that they do not know", async () => {
    const right = readDocument("examples/many-machines/kubernetes.yaml");
    const files = { "right.yaml": right, "wrong.yaml": right.replace("completions:", "completion:") };
    const folder = temporaryFolder(files);
    const validate = (file: string) => run("python3", ["-m", "kubernetes_validate", "--strict", join(folder, file)]);
    const { stdout: told } = await validate("right.yaml");
    expect(told.match(/ passed for resource /g)).toHaveLength(4);
    await expect(validate("wrong.yaml")).rejects.toMatchObject({
      stdout: expect.stringContaining("'completion' was unexpected"),
    });
  });
});
