/** Histograms that come from anywhere: small files can claim to be very large. */
import { inflateSync } from "node:zlib";
import { COUNTER_BITS, SIGNIFICANT_DIGITS } from "../stats/histogram.js";

/** Longer than any timeout: 100 days. */
const LONGEST_US = 100 * 24 * 3_600_000_000;
/** The cells up to there: 2,048 to the microsecond, then 1,024 for each doubling. */
const MOST_CELLS = 2048 + 1024 * Math.ceil(Math.log2(LONGEST_US / 2048));

/**
 * Throws an `Error` for text that is no latency histogram, or claims to be larger than one of ours can be. It allocates nothing for
 * the counts.
 */
export function checkHistogram(text: string): void {
  try {
    checkCounts(inflate(text));
  } catch (cause) {
    const excerpt = text.length > 40 ? `${text.slice(0, 40)}...` : text;
    throw new Error(
      `expected a latency histogram (HdrHistogram V2, compressed, base64), got "${excerpt}"; ` +
        "the field must be copied unchanged from a result.json",
      { cause },
    );
  }
}

const HEADER_BYTES = 40;
/** {@link MOST_CELLS}, each of which takes five bytes at most. */
const MOST_BYTES = HEADER_BYTES + 5 * MOST_CELLS;
const COMPRESSED_COOKIE = 0x1c84_9314;
const COOKIE = 0x1c84_9313;
const COMPRESSED_HEADER_BYTES = 8;
// Powers are worked out once: a result can have a hundred million counts.
const MOST_COUNT = 2 ** COUNTER_BITS;
const LAST_FACTOR = 128 ** 8;

function inflate(text: string): Buffer {
  if (text.length > 2 * MOST_BYTES) throw new RangeError(`${text.length} characters are too many`);
  const bytes = Buffer.from(text, "base64");
  if (bytes.readInt32BE(0) !== COMPRESSED_COOKIE) throw new Error("another format");
  const end = COMPRESSED_HEADER_BYTES + bytes.readInt32BE(4);
  return inflateSync(bytes.subarray(COMPRESSED_HEADER_BYTES, end), { maxOutputLength: MOST_BYTES });
}

/** Reads the header, and the counts as they are written: a run of zeros as a negative number. */
function checkCounts(bytes: Buffer): void {
  if (bytes.readInt32BE(0) !== COOKIE) throw new Error("another format");
  const end = HEADER_BYTES + bytes.readInt32BE(4);
  if (end < HEADER_BYTES || end > bytes.length) throw new RangeError("counts beyond the end");
  if (bytes.readInt32BE(12) !== SIGNIFICANT_DIGITS) throw new RangeError("other digits");
  const highest = bytes.readBigInt64BE(24);
  if (bytes.readBigInt64BE(16) !== 1n || highest < 2n || highest > BigInt(LONGEST_US)) {
    throw new RangeError("another range");
  }
  let cell = 0;
  for (let at = HEADER_BYTES; at < end;) {
    let value = 0;
    for (let factor = 1, more = true; more; factor *= 128) {
      const byte = bytes.readUInt8(at++);
      more = byte >= 128 && factor < LAST_FACTOR;
      value += (byte % 128) * factor;
    }
    const count = value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    if (count >= MOST_COUNT) throw new RangeError("a count that is too large");
    cell += count < 0 ? -count : 1;
    if (cell > MOST_CELLS) throw new RangeError("too many cells");
  }
}
