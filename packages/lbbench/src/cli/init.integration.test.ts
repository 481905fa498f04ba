import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { startTestServer } from "../../test/support/test-server.js";
import { ExitCode } from "./exit-code.js";

const SERVER = `const { createServer } = require("node:http");
createServer((request, response) => response.end("hello")).listen(process.env.PORT);
`;
const MANIFEST = `{\n\t"name": "shop",\n\t"scripts": {\n\t\t"start": "node server.js"\n\t}\n}`;
const SHORT = ["-c", "1", "-d", "500ms"];

/** A project whose package.json starts a server. */
function aProject(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "server.js"), SERVER);
  writeFileSync(join(folder, "package.json"), MANIFEST);
  return folder;
}

/** Every file below a folder with what is in it. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Sweeps with the config of a folder; returns how often each target was asked, all of it answered well. */
async function sweepWith(folder: string, ...args: readonly string[]): Promise<readonly string[]> {
  const { code, stderr } = await runCli(["sweep", "-o", "out", "-f", "json", "--warmup", "0", ...args], folder);
  expect([ExitCode.pass, ExitCode.inconclusive, ExitCode.fail], stderr).toContain(code);
  const { complete, steps } = readStoredResult(join(folder, "out"));
  expect(complete).toBe(true);
  for (const { measurement } of steps) {
    expect(measurement?.requests.ok).toBeGreaterThan(0);
    expect(measurement?.requests.non2xx).toBe(0);
  }
  return [...new Set(steps.map(({ target }) => target))];
}

describe("lbbench init, without a terminal", () => {
  it.each(["ts", "js", "mjs", "json"])(
    "writes a config in %s that runs, of the program that package.json starts",
    async (format) => {
      const folder = aProject();
      const { code, stdout, stderr } = await runCli(["init", "--format", format, ...SHORT], folder);
      expect(code, stderr).toBe(ExitCode.pass);
      expect(stdout).toBe(
        `Wrote lbbench.config.${format}\nChanged package.json\n\nNext:\n  npm install --save-dev lbbench\n  npm run bench\n`,
      );
      expect(readFileSync(join(folder, "package.json"), "utf8")).toBe(
        MANIFEST.replace(
          `"node server.js"`,
          `"node server.js",\n\t\t"bench": "lbbench sweep",\n\t\t"bench:max": "lbbench max"`,
        ),
      );
      expect(await sweepWith(folder)).toEqual(["shop"]);
    },
  );

  it("writes a config of several behind a balancer that runs", async () => {
    const folder = aProject();
    expect((await runCli(["init", "--backends", "2", ...SHORT], folder)).code).toBe(ExitCode.pass);
    expect(await sweepWith(folder)).toEqual(["one", "2 behind the balancer"]);
  });

  it("writes a config of a URL that runs", async () => {
    const folder = temporaryFolder();
    const { url } = await startTestServer();
    const { code, stdout } = await runCli(["init", "--url", url, "--scripts", ...SHORT], folder);
    expect(code).toBe(ExitCode.pass);
    expect(stdout).toContain("There is no package.json here");
    expect(await sweepWith(folder)).toHaveLength(1);
  });

  it("writes a config of samples that runs, where nothing tells of a program", async () => {
    const folder = temporaryFolder();
    expect((await runCli(["init", "--yes", ...SHORT], folder)).code).toBe(ExitCode.pass);
    expect(await sweepWith(folder)).toEqual(["one process", "4 behind the balancer"]);
  });

  it.each(["ts", "json"])("writes a config of base and head in %s that runs, side by side", async (format) => {
    const [folder, head] = inRepository();
    const { code, stderr } = await runCli(["init", "--workflow", "--format", format], head);
    expect(code, stderr).toBe(ExitCode.pass);
    expect(existsSync(join(head, ".github/workflows/lbbench.yml"))).toBe(true);
    const config = join("head", `lbbench.pull-request.${format}`);
    const targets = await sweepWith(folder, "--config", config, "--trials", "1", ...SHORT, "-o", join(folder, "out"));
    expect(targets).toEqual(["base", "head"]);
  });

  it("writes nothing at all where a file is there already, and says what to do", async () => {
    const folder = aProject();
    mkdirSync(join(folder, ".github/workflows"), { recursive: true });
    writeFileSync(join(folder, ".github/workflows/lbbench.yml"), "mine\n");
    writeFileSync(join(folder, "lbbench.config.ts"), "export default {}\n");
    const before = contentsOf(folder);
    const { code, stdout, stderr } = await runCli(["init", "--workflow"], folder);
    expect(code).toBe(ExitCode.usage);
    expect(stdout).toBe("");
    expect(stderr).toContain("  lbbench.config.ts\n  .github/workflows/lbbench.yml\n");
    expect(stderr).toContain("--force");
    expect(contentsOf(folder)).toEqual(before);
  });

  it("overwrites with --force, and with --keep writes only what is not there", async () => {
    const folder = aProject();
    writeFileSync(join(folder, "lbbench.config.mjs"), "mine");
    const kept = await runCli(["init", "--workflow", "--keep"], folder);
    expect(kept.code, kept.stderr).toBe(ExitCode.pass);
    expect(kept.stdout).toContain("Left lbbench.config.mjs as it is\n");
    expect(contentsOf(folder)["lbbench.config.mjs"]).toBe("mine");
    expect(contentsOf(folder)["lbbench.pull-request.mjs"]).toContain("base");
    expect((await runCli(["init", "--force"], folder)).code).toBe(ExitCode.pass);
    expect(contentsOf(folder)["lbbench.config.mjs"]).toContain("node server.js");
  });

  it("prints with --dry-run what it would write, and writes nothing", async () => {
    const folder = aProject();
    const before = contentsOf(folder);
    const { code, stdout } = await runCli(["init", "--workflow", "--format", "ts", "--dry-run"], folder);
    expect(code).toBe(ExitCode.pass);
    for (const name of [
      "lbbench.config.ts",
      "package.json",
      "lbbench.pull-request.ts",
      ".github/workflows/lbbench.yml",
    ]) {
      expect(stdout).toContain(`--- ${name}\n`);
    }
    expect(stdout).toContain("satisfies SweepInput");
    expect(contentsOf(folder)).toEqual(before);
  });

  it.each([
    ["--format", ["--format", "yaml"], '--format: expected ts, js, mjs or json, got "yaml"'],
    ["--url", ["--url", "localhost:3000"], "--url: expected a URL"],
    ["--command", ["--command", "a && b"], '--command: expected a program and its arguments, got "&&"'],
    ["--backends", ["--backends", "none"], "--backends: expected a whole number from 1 to 100"],
    ["two subjects", ["--url", "http://a", "--samples"], "--samples: expected one of --url and --samples, got both"],
    ["--keep and --force", ["--keep", "--force"], "expected one of --keep and --force"],
    ["levels", ["-c", "none"], "-c, --connections: expected whole numbers"],
    ["a time", ["-d", "0"], "-d, --duration: expected a time longer than 0"],
    ["a threshold", ["--threshold", "p99"], "--threshold: expected a condition"],
    ["a workflow of a URL", ["--url", "http://a", "--workflow"], "--workflow: expected a program"],
  ])("refuses %s that cannot be done, and writes nothing", async (_, args, part) => {
    const folder = aProject();
    const before = contentsOf(folder);
    const { code, stderr } = await runCli(["init", ...args], folder);
    expect(stderr).toContain(part);
    expect(code).toBe(ExitCode.usage);
    expect(contentsOf(folder)).toEqual(before);
  });

  it.each([
    ["is no JSON", "{ nope", "package.json: expected the package.json of a project"],
    ["is a list", "[]", "it is not an object"],
    ["has a list of scripts", '{ "scripts": [] }', "package.json: scripts: expected an object"],
  ])("says it where package.json %s, and writes nothing", async (_, text, part) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "package.json"), text);
    const { code, stderr } = await runCli(["init"], folder);
    expect(stderr).toContain(part);
    expect(code).toBe(ExitCode.usage);
    expect(contentsOf(folder)).toEqual({ "package.json": text });
  });

  it("does not follow a symbolic link out of the folder", async () => {
    const [folder, outside] = [aProject(), temporaryFolder()];
    writeFileSync(join(outside, "victim"), "mine");
    symlinkSync(join(outside, "victim"), join(folder, "lbbench.config.mjs"));
    const ofFile = await runCli(["init", "--force"], folder);
    expect(ofFile.stderr).toContain("a symbolic link leads to");
    expect(ofFile.code).toBe(ExitCode.usage);
    const other = aProject();
    symlinkSync(outside, join(other, ".github"));
    const ofFolder = await runCli(["init", "--workflow", "--force"], other);
    expect(ofFolder.stderr).toContain("a symbolic link leads to");
    expect(ofFolder.code).toBe(ExitCode.usage);
    expect(contentsOf(outside)).toEqual({ victim: "mine" });
    expect(contentsOf(other)["lbbench.config.mjs"]).toBeUndefined();
  });

  it("says it where a file is in the way of a folder, and writes nothing", async () => {
    const folder = aProject();
    writeFileSync(join(folder, ".github"), "");
    const before = contentsOf(folder);
    const { code, stderr } = await runCli(["init", "--workflow"], folder);
    expect(stderr).toContain("Expected a folder at");
    expect(code).toBe(ExitCode.usage);
    expect(contentsOf(folder)).toEqual(before);
  });
});

/** A folder with two checkouts of a project side by side, as the workflow makes them: the folder, and that of the head. */
function inRepository(): readonly [folder: string, head: string] {
  const folder = temporaryFolder();
  for (const name of ["base", "head"]) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, "server.js"), SERVER);
    writeFileSync(join(folder, name, "package.json"), MANIFEST);
  }
  return [folder, join(folder, "head")];
}
