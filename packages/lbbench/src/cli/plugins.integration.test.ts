import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../test/repository/repository.js";
import { BIN, runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { writeConfig } from "../../test/support/write-config.js";

const SHORT = ["-n", "20", "-c", "1,2", "--warmup", "0", "--trials", "1", "-o", "out"];

/** A folder in which the plugins of the examples are modules, and packages that can only be imported. */
function withPlugins(): string {
  const folder = temporaryFolder();
  const example = (path: string): string => pathToFileURL(inRepository(`examples/${path}`)).href;
  const plugins = {
    "own-server": example("plugin-server/server.mjs"),
    "own-engine": example("plugin-engine/engine.mjs"),
    "own-reporter": example("plugin-reporter/chat-message.mjs"),
    "own-policy": example("plugin-policy/spill-over.mjs"),
  };
  for (const [name, url] of Object.entries(plugins)) {
    const source = `export { default } from ${JSON.stringify(url)};\n`;
    write(join(folder, `${name}.mjs`), source);
    write(join(folder, "node_modules", name, "index.js"), source);
    write(
      join(folder, "node_modules", name, "package.json"),
      JSON.stringify({ name, type: "module", exports: { ".": { import: "./index.js" } } }),
    );
  }
  return folder;
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function readResult(folder: string): { scenario: { targets: { name: string }[] }; steps: Record<string, unknown>[] } {
  return JSON.parse(readFileSync(join(folder, "out/result.json"), "utf8"));
}

const KINDS = [
  ["paths", (name: string) => `./${name}.mjs`],
  ["packages", (name: string) => name],
] as const;

describe("plugins", () => {
  it.each(KINDS)("of every kind are named by %s in a config file, from its folder", async (_, say) => {
    const folder = withPlugins();
    writeConfig(folder, {
      targets: [
        say("own-server"),
        {
          name: "balanced",
          server: "balanced",
          options: {
            policy: say("own-policy"),
            backends: [{ server: say("own-server"), options: { delayMs: 1 }, count: 2 }],
          },
        },
      ],
      engine: say("own-engine"),
      formats: ["csv", say("own-reporter")],
    });
    const elsewhere = temporaryFolder();
    const config = ["--config", join(folder, "lbbench.config.json")];
    const { code, stderr } = await runCli(["sweep", ...config, ...SHORT], elsewhere);
    expect(code, stderr).toBe(0);
    const { scenario, steps } = readResult(elsewhere);
    expect(scenario.targets.map(({ name }) => name)).toEqual(["app", "balanced"]);
    expect(steps.map(({ engine, state }) => [engine, state])).toEqual(
      Array.from({ length: 4 }, () => [say("own-engine"), "completed"]),
    );
    expect(JSON.parse(readFileSync(join(elsewhere, "out/chat-message.json"), "utf8"))).toHaveProperty("text");

    const { code: again, stderr: why } = await runCli(
      ["sweep", "--resume", "out", ...config, "-f", say("own-reporter")],
      elsewhere,
    );
    expect(again, why).toBe(0);
  });

  it.each(KINDS)("are named by %s on the command line, from the working folder", async (_, say) => {
    const folder = withPlugins();
    const flags = ["-t", say("own-server"), "--engine", say("own-engine"), "-f", say("own-reporter")];
    const { code, stderr } = await runCli(["sweep", ...flags, ...SHORT], folder);
    expect(code, stderr).toBe(0);
    expect(readResult(folder).steps).toHaveLength(2);

    const report = await runCli(["report", "out", "-f", say("own-reporter"), "-o", "again"], folder);
    expect(report.stdout.trim()).toBe(join(folder, "again", "chat-message.json"));
  });

  it.each<[string, object, string]>([
    [
      "a path without a file",
      { targets: ["./none.mjs"] },
      'targets[0]: expected the path of a server, got "./none.mjs"',
    ],
    [
      "a plugin of another kind",
      { engine: "./own-reporter.mjs" },
      'engine (--engine): expected "./own-reporter.mjs" to export an engine',
    ],
    [
      "a format that is none",
      { formats: ["./own-server.mjs"] },
      'formats (-f, --format): expected "./own-server.mjs" to export a reporter',
    ],
    [
      "a backend that is none",
      { targets: [{ name: "b", server: "balanced", options: { backends: ["./own-engine.mjs"] } }] },
      'targets[0].options.backends[0]: expected "./own-engine.mjs" to export a server',
    ],
    [
      "options that a plugin refuses",
      { targets: [{ name: "a", server: "./own-server.mjs", options: { delay: 1 } }] },
      'targets[0] ("a"): options: there is no setting "delay". Did you mean "delayMs"?',
    ],
    [
      "a policy that is none",
      { targets: [{ name: "b", server: "balanced", options: { policy: "./own-server.mjs" } }] },
      'target "b": policy: expected the module "./own-server.mjs" to export a policy',
    ],
    [
      "a policy that is not there",
      { targets: [{ name: "b", server: "balanced", options: { policy: "rond-robin" } }] },
      'target "b": policy: expected one of round-robin',
    ],
    ["a word that is nothing", { engine: "no-such-engine" }, "A plugin of your own is named by its path, ./mine.mjs"],
  ])("are refused before any load is sent: %s", async (_, config, message) => {
    const folder = withPlugins();
    writeConfig(folder, config);
    const { code, stdout, stderr } = await runCli(["sweep", ...SHORT], folder);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("keep the rest of a report when a reporter fails, and say so", async () => {
    const folder = temporaryFolder();
    write(join(folder, "bad.mjs"), "export default { format: 'bad', render: () => [{ name: 'bad.txt' }] };");
    const { code, stderr } = await runCli(["sweep", "-t", "single", "-f", "csv,./bad.mjs", ...SHORT], folder);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      'The format "./bad.mjs" could not be rendered: expected a list of files, each { name, content } with a text or bytes',
    );
    expect(readResult(folder).steps).toHaveLength(2);
  });

  it.each([
    ["a file outside of the folder", "../escape.txt"],
    ["the result", "result.json"],
  ])("cannot write %s, and the rest of the report is written", async (_, name) => {
    const folder = temporaryFolder();
    const files = JSON.stringify([
      { name, content: "{}" },
      { name: "mine.txt", content: "mine" },
    ]);
    write(join(folder, "in/bad.mjs"), `export default { format: "bad", render: () => ${files} };`);
    const { code, stderr } = await runCli(
      ["sweep", "-t", "single", "-f", "csv,./bad.mjs", ...SHORT],
      join(folder, "in"),
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(`The format "./bad.mjs": "${name}" was not written: `);
    expect(readResult(join(folder, "in")).steps).toHaveLength(2);
    expect(readFileSync(join(folder, "in/out/mine.txt"), "utf8")).toBe("mine");
    expect(existsSync(join(folder, "in/escape.txt"))).toBe(false);
  });

  it("are not waited for when the command is done", async () => {
    const folder = withPlugins();
    const open = (name: string): void => {
      const source = readFileSync(join(folder, `own-${name}.mjs`), "utf8");
      write(join(folder, `${name}.mjs`), `${source}setInterval(() => {}, 1000);\n`);
    };
    for (const name of ["server", "engine", "reporter", "policy"]) open(name);
    const options = { policy: "./policy.mjs", backends: [{ server: "./server.mjs" }] };
    writeConfig(folder, { targets: [{ name: "b", server: "balanced", options }], engine: "./engine.mjs" });
    const { code, stderr } = await runCli(["sweep", "-f", "./reporter.mjs", ...SHORT], folder);
    expect(code, stderr).toBe(0);
  });

  it.each([
    ["ends the process as it is loaded", "process.exit(0);"],
    ["ends the process as it renders", 'export default { format: "own", render: () => process.exit(0) };'],
    ["ends it with the code of a verdict", 'export default { format: "own", render: () => process.exit(1) };'],
    [
      "throws where nobody can catch it",
      'export default { format: "own", render: () => new Promise(() => setTimeout(() => { throw new Error("late"); })) };',
    ],
    ["never ends", 'export default { format: "own", render: () => new Promise(() => {}) };'],
  ])("do not pass for a verdict where one %s", async (_, source) => {
    const folder = temporaryFolder();
    write(join(folder, "own.mjs"), source);
    const { code, stderr } = await runCli(["sweep", "-t", "single", "-f", "./own.mjs", ...SHORT], folder);
    expect(stderr).toContain("expected the command to come to its end");
    expect(code, stderr).toBe(2);
  });

  it("are refused when an await at their top level never ends", async () => {
    const folder = temporaryFolder();
    write(join(folder, "hang.mjs"), "await new Promise(() => {});\nexport default {};\n");
    const { code, stderr } = await runCli(["sweep", "-t", "./hang.mjs", ...SHORT], folder);
    expect(stderr).toContain("it was not loaded after 10 s. Does an await at its top level wait for something");
    expect(code).toBe(2);
  });

  it.each([
    ["server", ["-t", "./broken.mjs"], "export default { name: 'broken', options: ANY, start: async () => ({}) };", 4],
    [
      "engine",
      ["-t", "single", "--engine", "./broken.mjs"],
      "export default { name: 'broken', supports: { protocols: ['http'], loads: ['connections'], keepAliveOff: true, tlsVerification: true }, run: async () => ({}) };",
      3,
    ],
  ])("are named when what they come back with is none: a broken %s", async (kind, flags, source, exitCode) => {
    const folder = temporaryFolder();
    const zod = pathToFileURL(inRepository("node_modules/zod/index.js")).href;
    write(join(folder, "broken.mjs"), `import { z } from "${zod}";\n${source.replace("ANY", "z.object({})")}`);
    const { code, stdout, stderr } = await runCli(["sweep", ...flags, ...SHORT], folder);
    expect(stderr + stdout).not.toContain("bug in lbbench");
    expect(stderr + stdout).toMatch(new RegExp(`the ${kind}( plugin)? "[./]*broken(\\.mjs)?": expected its`, "i"));
    expect(code).toBe(exitCode);
  });

  it("are those that a run began with when it is gone on with from another folder", async () => {
    const folder = withPlugins();
    const elsewhere = withPlugins();
    const missing = "export default { name: 'app', options: {}, start() {} };";
    write(join(elsewhere, "own-server.mjs"), missing);
    const begun = await runCli(["sweep", "-t", "./own-server.mjs", "-f", "csv", ...SHORT], folder);
    expect(begun.code, begun.stderr).toBe(0);
    const out = join(folder, "out");
    const whole = JSON.parse(readFileSync(join(out, "result.json"), "utf8"));
    expect(whole).not.toHaveProperty("folder");
    const steps = whole.steps.slice(0, 1);
    write(join(out, "result.json"), JSON.stringify({ ...whole, steps, complete: false, folder: realpathSync(folder) }));

    writeConfig(elsewhere, {});
    const other = await runCli(["sweep", "--resume", out, "--config", "lbbench.config.json"], elsewhere);
    expect(other.stderr).toContain(`folder: expected that in which the run began, ${realpathSync(folder)}, got`);
    expect(other.code).toBe(2);

    const { code, stderr } = await runCli(["sweep", "--resume", out, "-f", "./own-reporter.mjs"], elsewhere);
    expect(code, stderr).toBe(0);
    expect(readResult(folder).steps).toHaveLength(2);
    expect(readResult(folder)).not.toHaveProperty("folder");
  });

  it("does not cut what it prints short when the reader is slow", async () => {
    const folder = temporaryFolder();
    const { code } = await runCli(["sweep", "-t", "single", "-f", "csv", ...SHORT], folder);
    expect(code).toBe(0);
    const file = join(folder, "out/result.json");
    const result = { ...JSON.parse(readFileSync(file, "utf8")), command: "x".repeat(3_000_000) };
    write(file, JSON.stringify(result));
    const command = `"${process.execPath}" "${BIN}" sweep --resume out -f csv --quiet --json | { sleep 1; cat; }`;
    const printed = execFileSync("sh", ["-c", command], { cwd: folder, encoding: "utf8", maxBuffer: 10_000_000 });
    expect(JSON.parse(printed)).toMatchObject({ complete: true, command: result.command });
  });
});
