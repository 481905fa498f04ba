import { expect, it } from "vitest";
import { picturesIn } from "../../test/support/read-report.js";
import { chartDefinitions } from "../report/charts/chart-definitions.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { renderReport } from "./render-report.js";

const PICTURES = chartDefinitions(aSweep()).map(({ id }) => `${id}.png`);

async function renderMarkdown(present: readonly string[]): Promise<string> {
  const { files } = await renderReport(aSweep(), ["md"], present);
  expect(files.map(({ name }) => name)).toEqual(["report.md"]);
  return String(files[0]?.content);
}

it("shows no charts in Markdown when their pictures are nowhere", async () => {
  expect(picturesIn(await renderMarkdown([]))).toEqual([]);
  expect(picturesIn(await renderMarkdown(PICTURES.slice(1)))).toEqual([]);
});

it("shows charts in Markdown when their pictures are in the folder", async () => {
  expect(picturesIn(await renderMarkdown([...PICTURES, "other.png"]))).toEqual(PICTURES);
});

it("renders every format once, however often it is named", async () => {
  const { files } = await renderReport(aSweep(), ["json", "md", "json"]);
  expect(files.map(({ name }) => name).toSorted()).toEqual(["report.md", "result.json"]);
});

it("refuses an unknown format, with a suggestion", async () => {
  await expect(renderReport(aSweep(), ["md", "jsno"])).rejects.toThrow(
    'formats (-f, --format): expected md, png or json, got "jsno". Did you mean "json"?',
  );
});
