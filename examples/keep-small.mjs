import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { createCanvas, loadImage } = createRequire(import.meta.resolve("lbbench"))("@napi-rs/canvas");

/** How many pictures a report keeps. */
const PICTURES = 2;
const PICTURE = /^!\[(.*)\]\(([\w-]+)\.png\)$/gm;
/** Of WebP: a third of the size, and every word can be read. */
const QUALITY = 80;

/**
 * Makes a report as small as those that the repository keeps: its Markdown, with the first pictures as WebP and in place of the others their
 * descriptions, and `result.json`, of which `lbbench report` makes all the rest again.
 *
 * @param folder of the report.
 * @param command how to get the rest, told in the Markdown.
 */
export async function keepSmall(folder, command) {
  const read = (name) => readFileSync(join(folder, name), "utf8");
  const note = `The other charts are in words here. \`${command}\` draws them, and makes the page.`;
  const pictures = [];
  const markdown = read("report.md").replaceAll(PICTURE, (_, description, name) => {
    pictures.push(name);
    if (pictures.length <= PICTURES) return `![${description}](${name}.webp)`;
    return pictures.length === PICTURES + 1 ? `\n${note}\n\n${description}` : `\n${description}`;
  });
  const result = `${JSON.stringify(JSON.parse(read("result.json")))}\n`;
  const kept = new Map([
    ["report.md", markdown],
    ["result.json", result],
  ]);
  for (const name of pictures.slice(0, PICTURES)) {
    const image = await loadImage(join(folder, `${name}.png`));
    const canvas = createCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    kept.set(`${name}.webp`, await canvas.encode("webp", QUALITY));
  }
  const names = readdirSync(folder);
  if (names.includes("ab.md")) kept.set("ab.md", read("ab.md").replaceAll("[ab.txt](ab.txt)", "`ab.txt`"));
  for (const name of names) rmSync(join(folder, name), { recursive: true });
  for (const [name, content] of kept) writeFileSync(join(folder, name), content);
}
