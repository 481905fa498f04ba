import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

/** A file that the real output of a program was kept in: ab 2.3, wrk 4.1, hey, oha 1 (its breakdown, mixed and refused are of 1.16), autocannon 9.0.0, k6 1.8.1. */
export interface KeptFile {
  /** `ab/all-503`. */
  readonly name: string;
  readonly text: string;
  /** Connections of a run that does not tell them. */
  readonly told: { readonly connections?: number };
}

const UNTOLD = /^(?:hey|oha)\/|^k6\/(?:all-503|refused)/;

const HERE = new URL("./output/", import.meta.url);
/** Output that the engine of ab has kept for its own tests. */
const OF_AB = new URL("../../engines/ab/test-support/output/", import.meta.url);

/** Every file whose output can be imported. */
export function keptFiles(): readonly KeptFile[] {
  const own = ["ab", "wrk", "hey", "oha", "autocannon", "k6"].flatMap((program) =>
    readFolder(new URL(`${program}/`, HERE), program),
  );
  const ofAb = readFolder(OF_AB, "ab-engine").filter(({ text }) => text.includes("Complete requests:"));
  return [...own, ...ofAb];
}

/** The text of one of them; those that are refused are in `../refused-output`. */
export function keptText(name: string): string {
  return readFileSync(new URL(`${name}.txt`, HERE), "utf8");
}

function readFolder(folder: URL, program: string): readonly KeptFile[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".txt"))
    .toSorted()
    .map((file) => {
      const name = `${program}/${basename(file, ".txt")}`;
      const text = readFileSync(new URL(file, folder), "utf8");
      return { name, text, told: UNTOLD.test(name) ? { connections: 10 } : {} };
    });
}
