import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { ConfigError } from "../config/config-error.js";
import type { SweepInput } from "../config/sweep-input.js";
import { createFakeEngine, type FakeEngine } from "../testing/fake-engine.js";
import { createFakeServer } from "../testing/fake-server.js";
import type { SweepOutcome } from "./run-scenario.js";
import { search } from "./search.js";
import { sweep } from "./sweep.js";

const engines = (mixes = true): readonly FakeEngine[] => [createFakeEngine({ supports: { mixes } })];

const LEAST: SweepInput = {
  targets: [{ name: "one", server: "fake" }],
  engine: "fake",
  duration: "1s",
  warmup: "0",
};

/** Runs a sweep of one step in a folder with some files. */
async function run(
  input: SweepInput,
  files: Readonly<Record<string, string>> = {},
  mixes = true,
): Promise<SweepOutcome> {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const plugins = { servers: [createFakeServer()], engines: engines(mixes) };
  return sweep({ ...LEAST, connections: [1], ...input }, { plugins, folder });
}

describe("a mix", () => {
  it("is in the scenario as it is sent, files read from the folder of the input", async () => {
    const input: SweepInput = {
      request: { method: "POST", bodyFile: "all.txt" },
      mix: [{ path: "/a" }, { name: "turns", weight: 3, bodiesFile: "lines.txt" }],
    };
    const { result } = await run(input, { "all.txt": "all of it\n", "lines.txt": "one\ntwo\n" });
    expect(result.scenario.request).toMatchObject({ body: "all of it\n", bodyEncoding: "utf8" });
    expect(result.scenario.mix).toMatchObject([
      { name: "POST /a", weight: 1, request: { path: "/a", body: "all of it\n" }, bodies: null },
      { name: "turns", weight: 3, request: { path: "/", body: null }, bodies: ["one", "two"] },
    ]);
  });

  it("is read for a search as well", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "lines.txt"), "one\n");
    const plugins = { servers: [createFakeServer()], engines: engines() };
    const input = { ...LEAST, mix: [{ bodiesFile: "lines.txt" }], search: { most: 1 } };
    const { result } = await search(input, { plugins, folder });
    expect(result.scenario.mix?.[0]?.bodies).toEqual(["one"]);
  });

  it("is refused before anything starts where a file cannot be read, or names are the same", async () => {
    await expect(run({ mix: [{}, { name: "b", bodyFile: "none" }] })).rejects.toThrow(
      /^mix\[1\]\.bodyFile \(--mix\): expected a file that can be read, got ".*none": no such file/,
    );
    await expect(run({ mix: [{}, {}] })).rejects.toBeInstanceOf(ConfigError);
  });

  it("is refused where the engine of a target cannot send one, gRPC included", async () => {
    await expect(run({ mix: [{}] }, {}, false)).rejects.toThrow(
      'The engine "fake" cannot send a mix of requests (--mix). Use one that can, with --engine: undici.',
    );
    await expect(sweep({ targets: ["grpc"], mix: [{}], connections: [1] })).rejects.toThrow(
      'The engine "grpc" cannot send a mix of requests (--mix). No engine of this version that speaks grpc can; leave it out.',
    );
  });
});
