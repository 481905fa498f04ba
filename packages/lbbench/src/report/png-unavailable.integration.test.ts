import { expect, test, vi } from "vitest";
import { aResult } from "../test-support/fixtures.js";
import { PngUnavailableError } from "./charts/load-canvas.js";
import { renderPng } from "./png.js";
import { aSweep } from "./test-support/sample-results.js";

vi.mock("#chart-canvas", () => ({
  findCanvas: () => {
    throw new Error("Cannot find module '@napi-rs/canvas'\nRequire stack");
  },
}));

test("without the optional canvas it says what to install, in one line", async () => {
  const rendering = renderPng(aSweep());
  await expect(rendering).rejects.toBeInstanceOf(PngUnavailableError);
  await expect(rendering).rejects.toThrow(
    /^.*Cannot find module '@napi-rs\/canvas'\).*`npm install @napi-rs\/canvas`.*$/,
  );
});

test("without anything to draw nothing is loaded", async () => {
  expect(await renderPng(aResult({ steps: [] }))).toEqual([]);
});
