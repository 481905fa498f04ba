import { expect, test, vi } from "vitest";
import { aResult } from "../test-support/fixtures.js";
import { pngReporter } from "./png.js";
import { PngUnavailableError } from "./png-unavailable-error.js";
import { aSweep } from "./test-support/sample-results.js";

vi.mock("chartjs-node-canvas", () => {
  throw new Error("Cannot find package 'chartjs-node-canvas'\nsomewhere");
});

test("without the optional packages it says what to install", async () => {
  const rendering = Promise.resolve(pngReporter.render(aSweep()));
  await expect(rendering).rejects.toBeInstanceOf(PngUnavailableError);
  await expect(rendering).rejects.toThrow("npm install chart.js chartjs-node-canvas @expo-google-fonts/inter");
});

test("without anything to draw nothing is loaded", async () => {
  expect(await pngReporter.render(aResult({ steps: [] }))).toEqual([]);
});
