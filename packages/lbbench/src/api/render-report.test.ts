import { describe, expect, it } from "vitest";
import { picturesIn } from "../../test/support/read-report.js";
import { chartDefinitions } from "../report/charts/chart-definitions.js";
import type { Reporter } from "../plugin.js";
import { aSweep } from "../report/test-support/sample-results.js";
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

it("renders every format once, however often it is named", async () => {
  const { files } = await renderReport(aSweep(), ["json", "md", "json"]);
  expect(files.map(({ name }) => name).toSorted()).toEqual(["report.md", "result.json"]);
});

it("refuses an unknown format, with a suggestion", async () => {
  await expect(renderReport(aSweep(), ["md", "jsno"])).rejects.toThrow(
    'formats (-f, --format): expected md, html, png, json, csv, ab, junit, openmetrics, github-action-benchmark or bencher, got "jsno". Did you mean "json"?',
  );
});

describe("a reporter of one's own", () => {
  function rendering(...names: readonly string[]): Reporter {
    return { format: "own", render: () => names.map((name) => ({ name, content: "mine" })) };
  }

  async function render(reporter: Reporter, formats: readonly string[] = ["csv", "md", "own"]) {
    const { files, problems } = await renderReport(aSweep(), formats, { reporters: [reporter] });
    return { mine: files.flatMap(({ name, content }) => (content === "mine" ? [name] : [])), files, problems };
  }

  it.each(["result.json", "Result.JSON", "report.md", "steps.csv"])(
    "cannot write over %s, and keeps its other files",
    async (taken) => {
      const plain = await render(rendering("own.txt"));
      const { mine, files, problems } = await render(rendering(taken, "own.txt"));
      expect(mine).toEqual(["own.txt"]);
      expect(files.map(({ name }) => name)).toEqual(plain.files.map(({ name }) => name));
      expect(problems).toEqual([
        expect.stringMatching(/^The format "own": ".*" was not written: .* has that name\. Have the reporter choose/),
      ]);
    },
  );

  it("cannot write a file twice", async () => {
    const { mine, problems } = await render(rendering("a.txt", "a.txt"));
    expect(mine).toEqual(["a.txt"]);
    expect(problems).toEqual([expect.stringContaining('a file of the format "own" has that name')]);
  });

  it.each(["../escape.txt", "/tmp/escape.txt", "in/a.txt", "in\\a.txt", "", "..", "a\0.txt"])(
    "cannot write to %j, and the rest of the report is there",
    async (name) => {
      const { mine, files, problems } = await render(rendering(name, "own.txt"));
      expect(mine).toEqual(["own.txt"]);
      expect(files.map((file) => file.name)).toContain("report.md");
      expect(problems).toEqual([
        `The format "own": ${JSON.stringify(name)} was not written: expected the plain name of a file in the folder of the report. ` +
          "Have the reporter return one without a path, chart.txt.",
      ]);
    },
  );

  it.each([
    [null, "it threw null, where an Error would say why"],
    [new Error(""), "it threw Error without a message"],
    [new Error("no luck."), "no luck"],
  ])("that throws %j costs nothing but its own files", async (thrown, why) => {
    const reporter: Reporter = {
      format: "own",
      render: () => {
        throw thrown;
      },
    };
    const { files, problems } = await render(reporter);
    expect(files.map(({ name }) => name)).toContain("report.md");
    expect(problems).toEqual([
      `The format "own" could not be rendered: ${why}. Mend the reporter; lbbench report then renders the result again.`,
    ]);
  });
});
