import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";

const PIECE = Buffer.alloc(65_536, "piece");
const READ_BYTES = 8 * 1024 ** 2;
const PAUSE_MS = 20;

export async function writeBytes(stream, bytes) {
  let left = bytes;
  while (left > 0) {
    const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
    left -= piece.length;
    if (!stream.write(piece)) await once(stream, "drain");
  }
}

export async function readSlowly(stream) {
  let bytes = 0;
  let due = READ_BYTES;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes < due) continue;
    due += READ_BYTES;
    await delay(PAUSE_MS);
  }
  return bytes;
}
