import { createHash, randomBytes } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { expect } from "vitest";

const MEBIBYTE = 1024 * 1024;
/** How many there are: far more than the system holds of what is sent and not read. */
export const MANY_BYTES = 64 * MEBIBYTE;
/** More than the system holds, over two connections. */
const MOST_HELD = 24 * MEBIBYTE;

/** 64 MiB of noise. */
export function manyBytes() {
  const chunk = randomBytes(MEBIBYTE / 8);
  const hash = createHash("sha1");
  let taken = 0;
  return {
    /** Writes all of it, as fast as it is taken. */
    sendTo: (stream: Writable): void => {
      const more = (): void => {
        while (taken < MANY_BYTES) {
          taken += chunk.length;
          chunk.writeUInt32LE(taken);
          hash.update(chunk);
          if (!stream.write(Buffer.from(chunk))) return;
        }
      };
      stream.on("drain", more);
      more();
    },
    /** Expects that it comes to rest: that little of it has been taken, and no more over ten turns of 20 ms. */
    expectStandstill: async (): Promise<void> => {
      let last = -1;
      let same = 0;
      const look = (): number => {
        same = taken > 0 && taken === last ? same + 1 : 0;
        last = taken;
        return same;
      };
      await expect.poll(look, { interval: 20 }).toBeGreaterThan(10);
      expect(taken).toBeLessThan(MOST_HELD);
    },
    digest: (): string => hash.digest("hex"),
  };
}

/** Reads so many bytes and returns their hash; they stand behind the head of a message, or behind nothing. */
export async function readManyBytes(stream: Readable, before: "a head" | "nothing"): Promise<string> {
  const hash = createHash("sha1");
  let head = Buffer.alloc(0);
  let inHead = before === "a head";
  let bytes = 0;
  await new Promise<void>((resolve) => {
    stream.on("data", (piece: Buffer) => {
      let body = piece;
      if (inHead) {
        head = Buffer.concat([head, piece]);
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        body = head.subarray(end + 4);
        inHead = false;
      }
      hash.update(body);
      bytes += body.length;
      if (bytes >= MANY_BYTES) resolve();
    });
    stream.resume();
  });
  return hash.digest("hex");
}
