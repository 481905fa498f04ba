import bytes from "bytes";
import { ExpectationError } from "./expectation-error.js";

const MAX_BYTES = 1024 ** 3;

/** A number of bytes, from a plain number or text with a unit (`10kB`, `1.5MB`; 1 kB is 1024 bytes); at most 1 GB. */
export function parseSize(text: string): number {
  const size = /^\d+(\.\d+)?(b|kb|mb|gb)$|^\d+$/i.test(text) ? bytes.parse(text) : null;
  if (size === null || size > MAX_BYTES) {
    throw new ExpectationError("a size of at most 1GB, like 512, 10kB or 1MB", text);
  }
  return size;
}
