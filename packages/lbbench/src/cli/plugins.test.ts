import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { writeFakeEngine, writeFakeServer } from "../../test/support/fake-plugins.js";
import { runAndRead } from "../../test/support/run-and-read.js";
import { readStoredResult } from "../../test/support/read-report.js";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder, write } from "@lbbench/test-support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";
import { ExitCode } from "./io.js";

const SHORT = ["-n", "20", "-c", "1,2", "--warmup", "0", "-o", "out"];
const REPORTER = 'export default { format: "own", render: () => [{ name: "own.txt", content: "mine" }] };\n';

/** A folder with a plugin of each kind as a module, and as a package that can only be imported. */
function withPlugins(): string {
  const folder = temporaryFolder();
  writeFakeServer(folder, "own-server.mjs");
  writeFakeEngine(folder, undefined, "own-engine.mjs");
  write(join(folder, "own-reporter.mjs"), REPORTER);
  for (const name of ["own-server", "own-engine", "own-reporter"]) {
    const source = readFileSync(join(folder, `${name}.mjs`), "utf8");
    const manifest = { name, type: "module", exports: { ".": { import: "./index.js" } } };
    write(join(folder, "node_modules", name, "index.js"), source);
    write(join(folder, "node_modules", name, "package.json"), JSON.stringify(manifest));
  }
  return folder;
}

describe("plugins", () => {
  it("are named by path in a config file, from its folder", async () => {
    const [server, engine, reporter] = ["./own-server.mjs", "./own-engine.mjs", "./own-reporter.mjs"];
    const folder = withPlugins();
    // Rendered once, however often it is named.
    writeConfig(folder, { targets: [server], engine, formats: ["csv", reporter, reporter] });
    const cwd = temporaryFolder();
    const words = ["sweep", "--config", join(folder, "lbbench.config.json"), ...SHORT];
    const { scenario, steps, stderr } = await runAndRead(words, cwd);
    expect(scenario.targets).toMatchObject([{ name: "fake", server }]);
    expect(steps.map((step) => [step.engine, step.state])).toEqual([1, 2].map(() => [engine, "completed"]));
    expect(readFileSync(join(cwd, "out/own.txt"), "utf8")).toBe("mine");
    expect(stderr).not.toContain("was not written");
  });

  it("are named by package on the command line, from the working folder", async () => {
    const folder = withPlugins();
    const flags = ["-t", "own-server", "--engine", "own-engine", "-f", "own-reporter"];
    expect((await runAndRead(["sweep", ...flags, ...SHORT], folder)).steps).toHaveLength(2);
    const { stdout } = await runCommand("report out -f own-reporter -o again", folder);
    expect(stdout).toBe(`${join(folder, "again", "own.txt")}\n`);
  });

  const balanced = (options: object): object => ({ targets: [{ name: "b", server: "balanced", options }] });
  it.each<[string, object, string]>([
    ["another kind", { engine: "./own-reporter.mjs" }, 'engine (--engine): expected "./own-reporter.mjs" to export an'],
    ["a format that is none", { formats: ["./own-server.mjs"] }, "formats (-f, --format): expected"],
    ["a policy that is none", balanced({ policy: "./own-server.mjs" }), 'target "b": policy: expected the module'],
    ["a policy that is not there", balanced({ policy: "rond-robin" }), "policy: expected one of round-robin"],
  ])("are refused before any load is sent: %s", async (_, config, message) => {
    const folder = withPlugins();
    writeConfig(folder, config);
    expectRefusal(await runCommand(["sweep", ...SHORT], folder), [message]);
  });

  const NO_RUN = "supports: { protocols: ['http'], loads: ['connections'], keepAliveOff: true, tlsVerification: true }";
  const WITH_SERVER = ["-t", "./own-server.mjs", "--engine"];
  it.each([
    ["server", "name: 'broken', options: z.object({}), start: async () => ({})", ["-t"], ExitCode.unreachable],
    ["engine", `name: 'broken', ${NO_RUN}, run: async () => ({})`, WITH_SERVER, ExitCode.inconclusive],
    ["format", "format: 'a', render: () => [{ name: 'a' }]", [...WITH_SERVER, "./own-engine.mjs", "-f"], ExitCode.pass],
  ])("are named when what they come back with is no %s's", async (kind, source, flags, expected) => {
    const folder = withPlugins();
    const zod = import.meta.resolve("zod");
    write(join(folder, "broken.mjs"), `import { z } from "${zod}";\nvoid z;\nexport default { ${source} };`);
    const { code, stdout, stderr } = await runCommand(["sweep", ...flags, "./broken.mjs", ...SHORT], folder);
    expect(stderr + stdout).toMatch(
      new RegExp(`the ${kind}( plugin)? ".*broken.*: expected (its|a list of files)`, "i"),
    );
    expect(stderr + stdout).not.toContain("bug in lbbench");
    expect(code).toBe(expected);
  });

  it("are those that a run began with when it is gone on with from another folder", async () => {
    const folder = withPlugins();
    const elsewhere = withPlugins();
    write(join(elsewhere, "own-server.mjs"), "export default { name: 'fake', options: {}, start() {} };");
    const flags = ["-t", "./own-server.mjs", "--engine", "./own-engine.mjs", "-f", "csv", ...SHORT];
    const begun = await runCommand(["sweep", ...flags], folder, { interruptAt: /^\[1\/2\]/m });
    expect(begun.code, begun.stderr).toBe(ExitCode.interrupted);
    const out = join(folder, "out");
    expect(readStoredResult(out)).toMatchObject({ folder: realpathSync(folder), steps: { length: 1 } });

    writeConfig(elsewhere, {});
    const other = await runCommand(["sweep", "--resume", out, "--config", "lbbench.config.json"], elsewhere);
    expectRefusal(other, [`folder: expected that in which the run began, ${realpathSync(folder)}, got`]);

    const { code, stderr } = await runCommand(["sweep", "--resume", out, "-f", "./own-reporter.mjs"], elsewhere);
    expect(code, stderr).toBe(ExitCode.pass);
    expect(stderr).toMatch(/^\[2\/2\] fake, 2 connections: /m);
    expect(readStoredResult(out)).toMatchObject({ complete: true, steps: { length: 2 } });
    expect(readStoredResult(out)).not.toHaveProperty("folder");
  });
});
