import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { GRPC_SAMPLE } from "./grpc-sample.js";

/** What `npm pack --json` tells of a package. */
interface Packed {
  readonly files: readonly { readonly path: string }[];
}

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

describe("GRPC_SAMPLE", () => {
  it("names a file that declares the service and its method", async () => {
    const text = await readFile(GRPC_SAMPLE.protoFile, "utf8");
    const [, packageName, serviceName] = /^package (.*);$[^]*^service (\w+)/m.exec(text) ?? [];
    expect(`${packageName}.${serviceName}`).toBe(GRPC_SAMPLE.service);
    expect(text).toContain(`rpc ${GRPC_SAMPLE.method} (`);
  });

  it("names the same file from the build", async () => {
    const build = (await import(`${packageFolder}dist/index.js`)) as { readonly GRPC_SAMPLE: typeof GRPC_SAMPLE };
    expect(build.GRPC_SAMPLE).toEqual(GRPC_SAMPLE);
  });

  it("comes with the package", async () => {
    const { stdout } = await promisify(execFile)("npm", ["pack", "--dry-run", "--json"], { cwd: packageFolder });
    // A list, or an object by name where npm is newer.
    const [packed] = Object.values(JSON.parse(stdout) as Record<string, Packed>);
    expect(packed?.files.map(({ path }) => path)).toContain("proto/work.proto");
  });
});
