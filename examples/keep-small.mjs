import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";

const { createCanvas, loadImage } = createRequire(import.meta.resolve("lbbench"))("@napi-rs/canvas");

/** How many pictures a report keeps. */
const PICTURES = 2;
const PICTURE = /^!\[(.*)\]\(([\w-]+\.png)\)$/gm;
/** What a palette holds. */
const MOST_COLOURS = 256;

/**
 * Makes a report as small as those that the repository keeps: its Markdown, with the first pictures and in place of the others their
 * descriptions, and `result.json`, of which `lbbench report` makes all the rest again.
 *
 * @param folder of the report.
 * @param command how to get the rest, told in the Markdown.
 */
export async function keepSmall(folder, command) {
  const kept = new Set(["report.md", "result.json"]);
  const note = `The other charts are in words here. \`${command}\` draws them, and makes the page.`;
  let count = 0;
  const markdown = readFileSync(join(folder, "report.md"), "utf8").replaceAll(PICTURE, (picture, description, file) => {
    count += 1;
    if (count > PICTURES) return count === PICTURES + 1 ? `${note}\n\n${description}` : description;
    kept.add(file);
    return picture;
  });
  writeFileSync(join(folder, "report.md"), markdown);
  const result = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
  writeFileSync(join(folder, "result.json"), `${JSON.stringify(result)}\n`);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (name === "ab.md") writeFileSync(path, readFileSync(path, "utf8").replaceAll("[ab.txt](ab.txt)", "`ab.txt`"));
    else if (!kept.has(name)) rmSync(path, { recursive: true });
    else if (name.endsWith(".png")) writeFileSync(path, await shrinkPicture(path));
  }
}

/** Returns a picture with its most frequent colours alone, which is a third of its size: most of a chart is of few. */
async function shrinkPicture(path) {
  const image = await loadImage(path);
  const { width, height } = image;
  const context = createCanvas(width, height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const colours = [...counts.keys()].toSorted((a, b) => counts.get(b) - counts.get(a));
  const palette = colours.slice(0, MOST_COLOURS).map(channels);
  const places = new Map(colours.map((colour) => [colour, nearest(channels(colour), palette)]));
  // Each row begins with the number of its filter, which is none.
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of pixels.entries()) rows[at + Math.floor(at / width) + 1] = places.get(colour);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a pixel, which name a colour of a palette.
  header.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function channels(colour) {
  return [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
}

function nearest(colour, palette) {
  const distances = palette.map((one) => one.reduce((sum, value, at) => sum + (value - colour[at]) ** 2, 0));
  return distances.indexOf(Math.min(...distances));
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
