import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { loadConfigFile, parseSweepInput } from "../index.js";
import { ExitCode } from "./io.js";

const MANIFEST = `{\n\t"name": "shop",\n\t"scripts": {\n\t\t"start": "node server.js"\n\t}\n}`;

/** A project with these files beside a package.json that starts a server. */
const aProject = (files: Readonly<Record<string, string>> = {}) =>
  temporaryFolder({ "package.json": MANIFEST, ...files });

/** Every file below a folder with what is in it. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Runs `lbbench init` with flags, split at blanks. */
const init = (folder: string, flags = "") =>
  runCommand(["init", ...flags.split(" ").filter((flag) => flag !== "")], folder);

describe("lbbench init, without a terminal", () => {
  it.each(["ts", "json"])(
    "writes a config in %s of the program that package.json starts, and scripts, and says what is next",
    async (format) => {
      const folder = aProject();
      expect(await init(folder, `--format ${format}`)).toEqual({
        code: ExitCode.pass,
        stdout: `Wrote lbbench.config.${format}\nChanged package.json\n\nNext:\n  npm install --save-dev lbbench\n  npm run bench\n`,
        stderr: "",
      });
      const { path = "", content } = (await loadConfigFile(folder)) ?? {};
      expect(path).toBe(join(folder, `lbbench.config.${format}`));
      expect(parseSweepInput(content, path).targets).toMatchObject([{ name: "shop", server: "command" }]);
      expect(JSON.parse(contentsOf(folder)["package.json"] ?? "")).toMatchObject({
        scripts: { start: "node server.js", bench: "lbbench sweep", "bench:max": "lbbench max" },
      });
    },
  );

  it.each([
    ["--backends 2", ["one", "2 behind the balancer"]],
    ["--url http://127.0.0.1:1/", ["shop"]],
    ["--samples", ["one process", "4 behind the balancer"]],
  ])("writes a config of what flags say: %s", async (flags, names) => {
    const folder = aProject();
    expect((await init(folder, flags)).code).toBe(ExitCode.pass);
    const { content } = (await loadConfigFile(folder)) ?? {};
    const { targets = [] } = parseSweepInput(content, "config");
    expect(targets.map((target) => (typeof target === "string" ? target : target.name))).toEqual(names);
  });

  it("takes the samples where nothing tells of a program, and says where scripts have no package.json", async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await init(folder, "--yes --scripts");
    expect(code).toBe(ExitCode.pass);
    expect(stdout).toContain("There is no package.json here");
    expect(contentsOf(folder)["lbbench.config.ts"]).toContain("balanced");
  });

  it("overwrites with --force, and with --keep writes only what is not there", async () => {
    const folder = aProject({ "lbbench.config.ts": "mine" });
    const kept = await init(folder, "--workflow --keep");
    expect(kept.code, kept.stderr).toBe(ExitCode.pass);
    expect(kept.stdout).toContain("Left lbbench.config.ts as it is\n");
    expect(contentsOf(folder)).toMatchObject({
      "lbbench.config.ts": "mine",
      "lbbench.pull-request.ts": expect.stringContaining("base"),
    });
    expect((await init(folder, "--force")).code).toBe(ExitCode.pass);
    expect(contentsOf(folder)["lbbench.config.ts"]).toContain("node server.js");
  });

  it("prints with --dry-run what it would write, and writes nothing", async () => {
    const folder = aProject();
    const { code, stdout } = await init(folder, "--workflow --format ts --dry-run");
    expect(code).toBe(ExitCode.pass);
    const names = [...stdout.matchAll(/^--- (\S+)$/gm)].map(([, name]) => name);
    expect(names).toEqual([
      "lbbench.config.ts",
      "package.json",
      "lbbench.pull-request.ts",
      ".github/workflows/lbbench.yml",
    ]);
    expect(contentsOf(folder)).toEqual({ "package.json": MANIFEST });
  });

  it.each([
    ["no JSON", { "package.json": "{ nope" }, "", "package.json: expected the package.json of a project"],
    ["scripts in a list", { "package.json": '{ "scripts": [] }' }, "", "package.json: scripts: expected an object"],
    ["a file in the way of a folder", { ".github": "" }, "--workflow", "Expected a folder at"],
    ["a file that is to be written", { ".github/workflows/lbbench.yml": "mine" }, "--workflow", "--force"],
  ])("writes nothing at all where there is %s, and says it", async (_, files, flags, part) => {
    const folder = aProject(files);
    const before = contentsOf(folder);
    const { code, stdout, stderr } = await init(folder, flags);
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toContain(part);
    expect(contentsOf(folder)).toEqual(before);
  });

  it("does not follow a symbolic link out of the folder", async () => {
    const [folder, other, outside] = [aProject(), aProject(), temporaryFolder()];
    writeFileSync(join(outside, "victim"), "mine");
    symlinkSync(join(outside, "victim"), join(folder, "lbbench.config.ts"));
    expectRefusal(await init(folder, "--force"), ["a symbolic link leads to"]);
    symlinkSync(outside, join(other, ".github"));
    expectRefusal(await init(other, "--workflow --force"), ["a symbolic link leads to"]);
    expect(contentsOf(outside)).toEqual({ victim: "mine" });
    expect(existsSync(join(other, "lbbench.config.ts"))).toBe(false);
  });
});
