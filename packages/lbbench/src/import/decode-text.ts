import { stripVTControlCharacters } from "node:util";
import { ImportError } from "./import-error.js";

/**
 * Returns the text of a file that output was saved to: UTF-8, or UTF-16 as PowerShell writes it, without colours, its lines ending
 * in `\n`. Throws an {@link ImportError} for anything else.
 *
 * @param file its name, for messages.
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  if (isUtf16WithoutMark(bytes)) {
    throw new ImportError(
      `${file}:1: expected text in UTF-8, got what looks like UTF-16 without a mark: save it as UTF-8`,
    );
  }
  const encoding = encodingOf(bytes);
  const text = stripVTControlCharacters(decode(bytes, encoding, file));
  const at = text.search(BINARY);
  if (at !== -1) {
    const line = text.slice(0, at).split("\n").length;
    throw new ImportError(`${file}:${line}: expected text, got a file with bytes that no text has`);
  }
  return text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
}

/** After escape sequences are gone. */
const BINARY = /[^\P{Cc}\n\r\t\f\v\b]/u;

function encodingOf([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Plain English has a zero in every second byte of it. */
function isUtf16WithoutMark(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 64);
  const zerosAt = (rest: number): number => head.filter((byte, index) => byte === 0 && index % 2 === rest).length;
  const [even, odd] = [zerosAt(0), zerosAt(1)];
  const isMarked = encodingOf(bytes) !== "utf-8";
  return !isMarked && Math.min(even, odd) === 0 && Math.max(even, odd) > head.length / 4;
}

function decode(bytes: Uint8Array, encoding: string, file: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ImportError(
      `${file}:${lineOfFault(bytes, encoding)}: expected text in ${encoding.toUpperCase()}, got something else`,
      {
        cause: error,
      },
    );
  }
}

/** Where the text ends that can be read. */
function lineOfFault(bytes: Uint8Array, encoding: string): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isReadable(bytes.subarray(0, middle), encoding)) good = middle;
    else bad = middle;
  }
  return new TextDecoder(encoding).decode(bytes.subarray(0, good)).split("\n").length;
}

function isReadable(bytes: Uint8Array, encoding: string): boolean {
  try {
    // What is cut in the middle of a character may go on.
    new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
