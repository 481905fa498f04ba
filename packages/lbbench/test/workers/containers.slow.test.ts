import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readDocument } from "@lbbench/test-support/repository.js";
import { needs } from "@lbbench/test-support/needs.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

const run = promisify(execFile);
const FILE = "examples/many-machines/kubernetes.yaml";

it.runIf(needs("kubernetes-validate"))(`${FILE} has what the schemas of Kubernetes allow, and no more`, async () => {
  const right = readDocument(FILE);
  const folder = temporaryFolder({ "right.yaml": right, "wrong.yaml": right.replace("completions:", "completion:") });
  const validate = (file: string) => run("python3", ["-m", "kubernetes_validate", "--strict", join(folder, file)]);
  const { stdout: told } = await validate("right.yaml");
  expect(told.match(/ passed for resource /g)).toHaveLength(4);
  const stdout = expect.stringContaining("'completion' was unexpected");
  await expect(validate("wrong.yaml")).rejects.toMatchObject({ stdout });
});
