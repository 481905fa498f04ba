import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { changeAb } from "../import/test-support/change-ab.js";
import { keptText } from "../import/test-support/kept-output.js";
import { ExitCode } from "./exit-code.js";

/** A folder with output in files. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  return cwd;
}

describe("lbbench import", () => {
  it("writes result and report of output that is sound, and prints its summary", async () => {
    const cwd = folderWith({ "a.txt": keptText("ab/slow"), "b.json": keptText("autocannon/timed") });
    const { code, stdout, stderr } = await runCli(
      ["import", "a.txt", "b.json", "-o", "out", "-f", "md", "--name", "old server"],
      cwd,
    );
    expect({ code, stderr }).toEqual({ code: ExitCode.pass, stderr: "" });
    expect(readdirSync(join(cwd, "out")).toSorted()).toEqual(["report.md", "result.json"]);
    expect(readFileSync(join(cwd, "out/report.md"), "utf8")).toMatch(/^# old server\n/);
    expect(stdout).toContain("127.0.0.1:18765/slow");
    expect(stdout).toContain("Report: ");
    // What was written is read as any other result.
    expect((await runCli(["report", "out", "-f", "csv", "--quiet"], cwd)).code).toBe(ExitCode.pass);
    const again = await runCli(["compare", "out", "out"], cwd);
    expect(again.stdout).toContain("not told, so that it is taken for alike");
  });

  it("names the page where there is one, and notes what nobody told", async () => {
    // As many as ab -t came to, rather than as were asked for.
    const text = changeAb(keptText("ab/slow"), { complete: 1201, seconds: 2 });
    const cwd = folderWith({ "timed.txt": text });
    const { code, stdout, stderr } = await runCli(["import", "timed.txt", "-o", "out", "-f", "md,html"], cwd);
    expect(code).toBe(ExitCode.pass);
    expect(stdout).toContain(join("out", "report.html"));
    expect(stderr).toMatch(/^timed\.txt: ab does not tell whether a number of requests or a time was asked for/);
  });

  it("shows charts as a report does", async () => {
    const cwd = folderWith({ "slow.txt": keptText("ab/slow") });
    const importWith = (charts: string) =>
      runCli(["import", "slow.txt", "-o", "out", "-f", "md", "--charts", charts], cwd);
    expect((await importWith("mermaid")).code).toBe(ExitCode.pass);
    expect(readFileSync(join(cwd, "out/report.md"), "utf8")).toContain("```mermaid\n");
    const { code, stderr } = await importWith("memaid");
    expect(code).toBe(ExitCode.usage);
    expect(stderr).toMatch(/^error: --charts: expected png, mermaid or none, got "memaid"\. Did you mean "mermaid"\?/);
  });

  it("refuses the same file twice", async () => {
    const cwd = folderWith({ "slow.txt": keptText("ab/slow") });
    const { code, stderr } = await runCli(["import", "slow.txt", "slow.txt", "-o", "out"], cwd);
    expect(code).toBe(ExitCode.usage);
    expect(stderr).toMatch(/^error: slow\.txt:1-42: expected another run than in slow\.txt:1-42/);
  });

  it("ends as the verdict says", async () => {
    const cwd = folderWith({ "bad.txt": keptText("ab/all-503"), "slow.txt": keptText("ab/slow") });
    const codeOf = async (...args: readonly string[]): Promise<number | null> =>
      (await runCli(["import", ...args, "-o", "out", "-f", "json", "--quiet"], cwd)).code;
    expect(await codeOf("bad.txt")).toBe(ExitCode.inconclusive);
    expect(await codeOf("slow.txt", "--threshold", "p99<10ms")).toBe(ExitCode.fail);
    expect(await codeOf("slow.txt", "--threshold", "p99<100ms")).toBe(ExitCode.pass);
  });

  it("reads the standard input, and prints nothing but the result with --json", async () => {
    const cwd = temporaryFolder();
    const lbbench = fileURLToPath(new URL("../../bin/lbbench.js", import.meta.url));
    const child = spawn(
      process.execPath,
      [lbbench, "import", "-", "-c", "20", "-t", "mine", "-o", "out", "-f", "json", "--json"],
      {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    child.stdin.end(keptText("hey/slow"));
    const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
    expect(JSON.parse(stdout)).toMatchObject({
      imported: { files: [{ name: "-", modifiedAt: null, programs: ["hey"] }] },
      steps: [{ target: "mine", level: { connections: 20, requests: 500 } }],
    });
  });

  it("refuses what it cannot read, names file and line, and leaves no folder", async () => {
    const half = keptText("ab/slow").slice(0, 900);
    const cwd = folderWith({ "half.txt": half, "large.txt": "" });
    truncateSync(join(cwd, "large.txt"), 65 * 1024 ** 2);
    const refusals = await Promise.all(
      [["half.txt"], ["none.txt"], ["large.txt"], ["."], ["half.txt", "-c", "many"], ["half.txt", "-d", "long"]].map(
        async (args) => {
          const { code, stdout, stderr } = await runCli(["import", ...args, "-o", "out"], cwd);
          expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
          return stderr;
        },
      ),
    );
    const expected = [
      /^error: half\.txt:1-\d+: cannot read what ab printed: /,
      /^error: expected a file with the output of a load generator, but none\.txt cannot be read: no such file or directory \(ENOENT\)/,
      /^error: large\.txt: expected what load generators print of their runs, at most 64 MiB, got 65 MiB/,
      /^error: .*cannot be read: illegal operation on a directory/,
      /^error: -c, --connections: expected a whole number from 1 on, got "many"/,
      /^error: duration \(-d, --duration\): expected a time/,
    ];
    for (const [index, pattern] of expected.entries()) expect(refusals[index]).toMatch(pattern);
    expect(readdirSync(cwd).toSorted()).toEqual(["half.txt", "large.txt"]);
  });

  it("is not gone on with", async () => {
    const cwd = folderWith({ "slow.txt": keptText("ab/slow") });
    await runCli(["import", "slow.txt", "-o", "out", "-f", "json", "--quiet"], cwd);
    const { code, stderr } = await runCli(["sweep", "--resume", "out"], cwd);
    expect(code).toBe(ExitCode.usage);
    expect(stderr).toContain("expected the result of a run of lbbench, got one that was imported");
  });
});
