// Draws the charts of a result, which comes as JSON on stdin, by the build. Prints whether the machine draws text by
// itself, and of each PNG its name and a digest.
import { createHash } from "node:crypto";
import { findCanvas } from "#chart-canvas";
import { text } from "node:stream/consumers";
import { renderPng } from "../../../dist/report/png.js";

const canvas = findCanvas();
const drawsTextAlone = !drawText("ab").equals(drawText(""));
const files = await renderPng(JSON.parse(await text(process.stdin)));
const digests = files.map(({ name, content }) => [name, createHash("sha256").update(content).digest("hex")]);
process.stdout.write(JSON.stringify({ drawsTextAlone, digests }));

function drawText(words) {
  const picture = canvas.createCanvas(100, 50);
  const context = picture.getContext("2d");
  context.font = "30px sans-serif";
  context.fillText(words, 5, 40);
  return picture.toBuffer("image/png");
}
