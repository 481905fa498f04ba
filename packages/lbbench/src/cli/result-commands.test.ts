import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRefusal } from "../../test/support/expect-refusal.js";
import { picturesIn, readMarkdown } from "../../test/support/read-report.js";
import { runCommand as run } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { changeAb } from "../import/test-support/change-ab.js";
import { keptText } from "../import/test-support/kept-output.js";
import type { ResultComparison } from "../index.js";
import { aRun, steady } from "../judge/test-support/compare-samples.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { anEnvironment } from "../test-support/fixtures.js";
import { ExitCode } from "./io.js";

/** A folder with results in folders of their own, or with files. */
function folderWith(contents: Readonly<Record<string, string | object>>): string {
  const files = Object.entries(contents).map(([name, content]) =>
    typeof content === "string" ? [name, content] : [`${name}/result.json`, JSON.stringify(content)],
  );
  return temporaryFolder(Object.fromEntries(files) as Record<string, string>);
}

describe("lbbench report", () => {
  it("renders a result again beside it, given its folder, and prints what it wrote", async () => {
    const cwd = folderWith({ old: aSweep() });
    const { code, stdout, stderr } = await run("report old", cwd);
    expect({ code, stderr }).toEqual({ code: ExitCode.pass, stderr: "" });
    const pictures = picturesIn(readMarkdown(join(cwd, "old")));
    expect(pictures.length).toBeGreaterThan(0);
    const written = ["report.html", "report.md", ...pictures];
    expect(readdirSync(join(cwd, "old")).toSorted()).toEqual(["result.json", ...written].toSorted());
    expect(stdout.trim().split("\n").toSorted()).toEqual(written.map((name) => join(cwd, "old", name)).toSorted());
    // They are shown by Markdown alone as well, once they are there.
    await run("report old/result.json -f md", cwd);
    expect(picturesIn(readMarkdown(join(cwd, "old")))).toEqual(pictures);
  });

  it("renders into another folder with --out, without pictures where none are asked for, and leaves the result alone", async () => {
    const cwd = folderWith({ old: aSweep() });
    expect(await run("report old -f md,json -o new/one --quiet", cwd)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readdirSync(join(cwd, "old"))).toEqual(["result.json"]);
    expect(readdirSync(join(cwd, "new/one")).toSorted()).toEqual(["report.md", "result.json"]);
    expect(picturesIn(readMarkdown(join(cwd, "new/one")))).toEqual([]);
    expect(JSON.parse(readFileSync(join(cwd, "new/one/result.json"), "utf8"))).toEqual(aSweep());
  });

  it("writes over the report of another result with --force alone, and over its own as it is asked to", async () => {
    const cwd = folderWith({ old: aSweep(), "other/result.json": "theirs" });
    const other = (): string => readFileSync(join(cwd, "other/result.json"), "utf8");
    expectRefusal(await run("report old -f json -o other", cwd), [
      '-o, --out: expected a folder without a report, got "other"',
      "--force",
    ]);
    expect(other()).toBe("theirs");
    expect((await run("report old -f json -o ./old/", cwd)).code).toBe(ExitCode.pass);
    expect((await run("report old -f json -o other --force", cwd)).code).toBe(ExitCode.pass);
    expect(JSON.parse(other())).toEqual(aSweep());
  });

  it("takes the report of a result of another name for that of another run", async () => {
    const cwd = folderWith({ old: aSweep(), "old/before.json": JSON.stringify({ ...aSweep(), command: "before" }) });
    expectRefusal(await run("report old/before.json -f json", cwd), [
      'a folder without a report, got "old"',
      "--force",
    ]);
    expect(JSON.parse(readFileSync(join(cwd, "old/result.json"), "utf8"))).toEqual(aSweep());
  });

  it("refuses an unknown format before it writes anything", async () => {
    const cwd = folderWith({ old: aSweep() });
    expectRefusal(await run("report old -f md,pfd -o new", cwd), ['got "pfd"']);
    expect(readdirSync(cwd)).toEqual(["old"]);
  });
});

describe("lbbench compare", () => {
  const SLOWER = aRun({ speed: steady(0.8) });
  const ELSEWHERE = aRun({ speed: steady(0.8), result: { environment: anEnvironment({ cores: 2 }) } });

  it.each<[number, string, string, object, object, string]>([
    [1, "B is worse beyond the margin", "", aRun(), SLOWER, "### lbbench compare: fail\n"],
    [0, "it is within the margin given", "--margin 40%", aRun(), SLOWER, "not worse than A by more than 40 %."],
    [3, "nothing can be told", "-f text", aRun(), ELSEWHERE, "Not compared: another machine: cores 8 in A, 2 in B."],
    [3, "B lacks a level of A", "", aRun({ connections: [1, 50] }), aRun({ connections: [1] }), "50 connections"],
    [
      1,
      "one target is worse than another that it is to be compared with",
      "-t x=z",
      aRun({ targets: ["x", "y"] }),
      aRun({ targets: ["z", "y"], speed: steady(0.8) }),
      "x → z",
    ],
  ])("ends with %i when %s", async (expected, _, flags, a, b, says) => {
    const words = ["compare", "a", "b/result.json", ...flags.split(" ").filter((word) => word !== "")];
    const { code, stdout, stderr } = await run(words, folderWith({ a, b }));
    expect({ code, stderr }, stdout).toEqual({ code: expected, stderr: "" });
    expect(stdout).toContain(says);
    expect(stdout).not.toContain("| y ");
  });

  it("prints data and nothing else with --json, nothing with --quiet, and a table on a terminal", async () => {
    const cwd = folderWith({ a: aRun(), b: SLOWER });
    expect(JSON.parse((await run("compare a b --json", cwd)).stdout) as ResultComparison).toMatchObject({
      status: "fail",
      margins: { margin: 0.05, errorMargin: 0.001 },
      targets: [
        { reference: "single", other: "single", levels: [{ throughput: { worse: "yes", verdict: "slower" } }] },
      ],
    });
    expect(await run("compare a b --quiet", cwd)).toEqual({ code: ExitCode.fail, stdout: "", stderr: "" });
    expect((await run("compare a b", cwd, { columns: 80 })).stdout).not.toContain("###");
  });
});

describe("lbbench import", () => {
  it("writes result and report of output that is sound, which is read as any other result", async () => {
    const cwd = folderWith({ "a.txt": keptText("ab/slow"), "b.json": keptText("autocannon/timed") });
    const words = ["import", "a.txt", "b.json", "-o", "out", "-f", "md", "--name", "old server"];
    const { code, stdout, stderr } = await run(words, cwd);
    expect({ code, stderr }).toEqual({ code: ExitCode.pass, stderr: "" });
    expect(readdirSync(join(cwd, "out")).toSorted()).toEqual(["report.md", "result.json"]);
    expect(readMarkdown(join(cwd, "out"))).toMatch(/^# old server\n/);
    expect(stdout).toContain("127.0.0.1:18765/slow");
    expect(stdout).toContain(`Report: ${join(cwd, "out/report.md")}`);
    expect((await run("report out -f csv --quiet", cwd)).code).toBe(ExitCode.pass);
    expect((await run("compare out out", cwd)).stdout).toContain("not told, so that it is taken for alike");
    expectRefusal(await run("sweep --resume out", cwd), ["expected the result of a run of lbbench, got one that was"]);
    expectRefusal(await run("import a.txt -o out", cwd), ["-o, --out: expected a folder without a report", "--force"]);
  });

  it("names the page where there is one, and notes what nobody told", async () => {
    // As many as ab -t came to, rather than as were asked for.
    const cwd = folderWith({ "timed.txt": changeAb(keptText("ab/slow"), { complete: 1201, seconds: 2 }) });
    const { code, stdout, stderr } = await run("import timed.txt -o out -f md,html --charts mermaid", cwd);
    expect(code).toBe(ExitCode.pass);
    expect(readMarkdown(join(cwd, "out"))).toContain("```mermaid\n");
    expect(stdout).toContain(join("out", "report.html"));
    expect(stderr).toMatch(/^timed\.txt: ab does not tell whether a number of requests or a time was asked for/);
  });

  it.each([
    ["bad.txt", ExitCode.inconclusive],
    ["slow.txt --threshold p99<10ms", ExitCode.fail],
    ["slow.txt --threshold p99<100ms", ExitCode.pass],
  ])("ends as the verdict says: %s", async (words, expected) => {
    const cwd = folderWith({ "bad.txt": keptText("ab/all-503"), "slow.txt": keptText("ab/slow") });
    expect(await run(`import ${words} -o out -f json --quiet`, cwd)).toMatchObject({ code: expected });
  });

  it("reads the standard input, and prints nothing but the result with --json", async () => {
    const flags = "-c 20 -t mine -o out -f json --json";
    const { stdout } = await run(`import - ${flags}`, temporaryFolder(), { stdin: keptText("hey/slow") });
    expect(JSON.parse(stdout)).toMatchObject({
      imported: { files: [{ name: "-", modifiedAt: null, programs: ["hey"] }] },
      steps: [{ target: "mine", level: { connections: 20, requests: 500 } }],
    });
  });

  it.each([
    ["head.txt", /^error: head\.txt:15: expected the line ".*" of ab, got ".*"\. Its output is cut/],
    ["large.txt", /^error: large\.txt: expected what load generators print of their runs, at most 64 MiB, got 65 MiB/],
  ])("refuses what it cannot read, names file and line, and leaves no folder: %s", async (files, message) => {
    const text = keptText("ab/slow");
    const cwd = folderWith({ "head.txt": text.slice(0, 400), "large.txt": "" });
    truncateSync(join(cwd, "large.txt"), 65 * 1024 ** 2);
    const { code, stdout, stderr } = await run(`import ${files} -o out`, cwd);
    expect({ code, stdout }).toEqual({ code: ExitCode.usage, stdout: "" });
    expect(stderr).toMatch(message);
    expect(readdirSync(cwd)).not.toContain("out");
  });
});
