import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { picturesIn } from "../../test/support/read-report.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { chartDefinitions } from "../report/charts/chart-definitions.js";
import type { Reporter } from "../plugin.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { renderSummary } from "../report/summary-table.js";
import { readResult } from "../store/read-result.js";
import { renderReport } from "./render-report.js";

const PICTURES = chartDefinitions(aSweep()).map(({ id }) => `${id}.png`);

async function renderMarkdown(present: readonly string[]): Promise<string> {
  const { files } = await renderReport(aSweep(), ["md"], { present });
  expect(files.map(({ name }) => name)).toEqual(["report.md"]);
  return String(files[0]?.content);
}

it("shows charts in Markdown when all their pictures are in the folder, and else none", async () => {
  expect(picturesIn(await renderMarkdown([]))).toEqual([]);
  expect(picturesIn(await renderMarkdown(PICTURES.slice(1)))).toEqual([]);
  expect(picturesIn(await renderMarkdown([...PICTURES, "other.png"]))).toEqual(PICTURES);
});

describe("a reporter of one's own", () => {
  async function render(reporter: Reporter["render"]) {
    const reporters: readonly Reporter[] = [{ format: "own", render: reporter }];
    const { files, problems } = await renderReport(aSweep(), ["csv", "md", "own"], { reporters });
    return { mine: files.flatMap(({ name, content }) => (content === "mine" ? [name] : [])), files, problems };
  }

  const TAKEN = "has that name. Have the reporter choose";
  const ELSEWHERE = "was not written: expected the plain name of a file in the folder of the report";

  it.each([
    ...["result.json", "Result.JSON", "report.md", "steps.csv", "own.txt"].map((name) => [name, TAKEN] as const),
    ...["../escape.txt", "/tmp/escape.txt", "in/a.txt", "in\\a.txt", "", "..", "a\0.txt"].map(
      (name) => [name, ELSEWHERE] as const,
    ),
  ])("cannot write to %j, and keeps its other files and the rest of the report", async (name, says) => {
    const { mine, files, problems } = await render(() =>
      ["own.txt", name].map((one) => ({ name: one, content: "mine" })),
    );
    expect(mine).toEqual(["own.txt"]);
    expect(files.map((file) => file.name)).toEqual(expect.arrayContaining(["report.md", "steps.csv"]));
    expect(problems).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    [null, "it threw null, where an Error would say why"],
    [new Error(""), "it threw Error without a message"],
    [new Error("no luck."), "no luck"],
  ])("that throws %j costs nothing but its own files", async (thrown, why) => {
    const { files, problems } = await render(() => {
      throw thrown;
    });
    expect(files.map(({ name }) => name)).toContain("report.md");
    expect(problems).toEqual([expect.stringContaining(`The format "own" could not be rendered: ${why}.`)]);
  });
});

it("reads a stored result with the finding SCALABILITY of earlier versions, and leaves the finding out of reports", async () => {
  const LAW = { target: "single", kind: "connections", lambda: 900, contention: 0.091, coherency: 0, bound: 11_000 };
  const before = aSweep();
  const findings = [...before.verdict.findings, { code: "SCALABILITY", severity: "info", args: LAW }];
  const written = { ...before, verdict: { ...before.verdict, findings } };
  const path = join(temporaryFolder(), "result.json");
  writeFileSync(path, JSON.stringify(written));
  const { result } = await readResult(path);
  expect(result).toEqual(written);
  const formats = ["md", "html", "junit", "csv"];
  const { files, problems } = await renderReport(result, formats);
  expect(problems).toEqual([]);
  const without = { ...result, verdict: before.verdict };
  expect(files).toEqual((await renderReport(without, formats)).files);
  expect(renderSummary(result)).toBe(renderSummary(without));
});
