import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { picturesIn, readMarkdown } from "../../test/support/read-report.js";
import { runCli } from "../../test/support/run-cli.js";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { ExitCode } from "./exit-code.js";

/** A folder with `old/result.json` in it. */
function folderWithResult(content: object = aSweep()): string {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, "old"));
  writeFileSync(join(cwd, "old/result.json"), JSON.stringify(content));
  return cwd;
}

describe("lbbench report", () => {
  it("renders a result again beside it, given its folder, and prints what it wrote", async () => {
    const cwd = folderWithResult();
    const { code, stdout, stderr } = await runCli(["report", "old"], cwd);
    expect({ code, stderr }).toEqual({ code: ExitCode.pass, stderr: "" });
    const pictures = picturesIn(readMarkdown(join(cwd, "old")));
    expect(pictures.length).toBeGreaterThan(0);
    expect(readdirSync(join(cwd, "old")).toSorted()).toEqual(
      ["report.html", "report.md", "result.json", ...pictures].toSorted(),
    );
    expect(stdout.trim().split("\n").toSorted()).toEqual(
      ["report.html", "report.md", ...pictures].map((name) => join(cwd, "old", name)).toSorted(),
    );
  });

  it("shows no pictures in Markdown alone, unless they are there already", async () => {
    const cwd = folderWithResult();
    await runCli(["report", "old/result.json", "-f", "md"], cwd);
    expect(picturesIn(readMarkdown(join(cwd, "old")))).toEqual([]);
    await runCli(["report", "old", "-f", "png"], cwd);
    await runCli(["report", "old", "-f", "md"], cwd);
    const pictures = picturesIn(readMarkdown(join(cwd, "old")));
    expect(pictures.length).toBeGreaterThan(0);
    expect(readdirSync(join(cwd, "old"))).toEqual(expect.arrayContaining([...pictures]));
  });

  it("renders into another folder with --out and leaves the result alone", async () => {
    const cwd = folderWithResult();
    const { code, stdout } = await runCli(["report", "old", "-f", "md,json", "-o", "new/one", "--quiet"], cwd);
    expect({ code, stdout }).toEqual({ code: ExitCode.pass, stdout: "" });
    expect(readdirSync(join(cwd, "old"))).toEqual(["result.json"]);
    expect(readdirSync(join(cwd, "new/one")).toSorted()).toEqual(["report.md", "result.json"]);
    expect(JSON.parse(readFileSync(join(cwd, "new/one/result.json"), "utf8"))).toEqual(aSweep());
  });

  it("names what is damaged in a result", async () => {
    const cwd = folderWithResult({ ...aSweep(), steps: [{ target: 5 }] });
    expectRefusal(await runCli(["report", "old", "-f", "pdf"], cwd).then(firstError), [
      "steps[0].target: expected a text, got 5",
    ]);
  });

  it("says that a result of a later version needs a newer lbbench", async () => {
    const cwd = folderWithResult({ ...aSweep(), version: 2 });
    expectRefusal(await runCli(["report", "old"], cwd), ["is of version 2", "A newer lbbench is needed"]);
  });

  it("refuses an unknown format before it writes anything", async () => {
    const cwd = folderWithResult();
    expectRefusal(await runCli(["report", "old", "-f", "md,pfd", "-o", "new"], cwd), ['got "pfd"']);
    expect(readdirSync(cwd)).toEqual(["old"]);
  });
});

/** A damaged result has an error for each field. */
function firstError<T extends { readonly stderr: string }>(outcome: T): T {
  return { ...outcome, stderr: outcome.stderr.split("\n").slice(0, 1).join("") };
}
