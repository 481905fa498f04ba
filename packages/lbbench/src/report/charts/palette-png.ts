import { promisify } from "node:util";
import { crc32, deflate } from "node:zlib";

/** Pixels as a canvas gives them: four bytes each, red first, row after row. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

type Color = readonly [red: number, green: number, blue: number];

const MOST_COLORS = 256;
const SIGNATURE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits for each pixel, which are an index into the palette; the usual compression, no interlacing. */
const FORMAT = [8, 3, 0, 0, 0];

/**
 * Writes an opaque picture as a PNG with a palette, which takes a third of the bytes. Of more than 256 colours the most frequent are kept,
 * and others get the nearest of these: in a chart, shades along the edges of words and lines.
 */
export async function encodePng({ width, height, data }: Pixels): Promise<Uint8Array> {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const colors = [...countColors(pixels)].toSorted(([, a], [, b]) => b - a).map(([color]) => color);
  const palette = colors.slice(0, MOST_COLORS).map(channels);
  const indices = new Map(
    colors.map((color, at) => [color, at < MOST_COLORS ? at : nearest(palette, channels(color))]),
  );
  // Each row begins with a byte for how it is filtered; 0 is not at all.
  const rows = new Uint8Array((width + 1) * height);
  let [last, index] = [-1, 0];
  pixels.forEach((color, at) => {
    // Neighbours are mostly alike.
    if (color !== last) [last, index] = [color, indices.get(color) ?? 0];
    rows[at + Math.floor(at / width) + 1] = index;
  });
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", [...size, ...FORMAT]),
    chunk("PLTE", palette.flat()),
    chunk("IDAT", await promisify(deflate)(rows, { level: 9 })),
    chunk("IEND", []),
  ]);
}

/** Returns how many pixels there are of each colour, piece of a row by piece. */
function countColors(pixels: Uint32Array): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  let from = 0;
  for (let at = 1; at <= pixels.length; at += 1) {
    const color = pixels[from] ?? 0;
    if (pixels[at] === color) continue;
    counts.set(color, (counts.get(color) ?? 0) + at - from);
    from = at;
  }
  return counts;
}

/** The bytes of a pixel without the last, which says that it is opaque. */
function channels(color: number): Color {
  const [red = 0, green = 0, blue = 0] = new Uint8Array(Uint32Array.of(color).buffer);
  return [red, green, blue];
}

/** Returns the index of the colour that is least apart from another. */
function nearest(palette: readonly Color[], [red, green, blue]: Color): number {
  const distances = palette.map((other) => (red - other[0]) ** 2 + (green - other[1]) ** 2 + (blue - other[2]) ** 2);
  return distances.indexOf(Math.min(...distances));
}

/** A part of a PNG: its length, its kind, what it holds, and a checksum of both. */
function chunk(kind: string, content: Uint8Array | readonly number[]): Uint8Array {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), Uint8Array.from(content)]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
