import { readFile } from "node:fs/promises";

/** Reads a file the system tells things in; empty where there is none, as outside Linux. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

/** Reads such a file with one number in it; `null` where there is none. */
export async function readNumber(path: string): Promise<number | null> {
  const text = (await readText(path)).trim();
  return /^-?\d+$/.test(text) ? Number(text) : null;
}
