import { readText } from "../../system/proc.js";

/** Reads a file the system tells things in, with one number in it; `null` where there is none. */
export async function readNumber(path: string): Promise<number | null> {
  const text = (await readText(path)).trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
