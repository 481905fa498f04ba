import { ProgramError } from "../engines/programs/printed.js";
import { foreignLine } from "./ab/foreign-line.js";
import { readAb } from "./ab/read-ab.js";
import { readAutocannon } from "./autocannon/read-autocannon.js";
import { placeOf, type Block } from "./block.js";
import { checkTold } from "./check-told.js";
import { readHey } from "./hey/read-hey.js";
import { ImportError } from "./import-error.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";
import { isK6 } from "./k6/normalize-k6.js";
import { readK6 } from "./k6/read-k6.js";
import { parseJson } from "./parse-json.js";
import { readWrk } from "./wrk/read-wrk.js";

/** A run, where its output stands, and what of it is not taken over. */
export type ReadRun = ImportedRun & { readonly place: string; readonly thresholds?: readonly string[] };

/** Reads the output of one run; throws an {@link ImportError} or a `ConfigError` that names file and line. */
export function readBlock(block: Block, file: string, told: NotInOutput): ReadRun {
  try {
    const run = READERS[block.program](block, file, told);
    const place = placeOf(file, block);
    checkTold(run, told, place);
    return { ...run, place };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    throw new ImportError(describeProblem(error.message, block, file), { cause: error });
  }
}

/** Names the line where it is known. What is missing may be there in another language: then it is the line that nobody knows. */
function describeProblem(message: string, block: Block, file: string): string {
  const [, beginning = "", line, problem = ""] =
    /^(cannot read what \w+ printed: )line (\d+): (.*)$/s.exec(message) ?? [];
  const foreign = foreignLine(block);
  if (foreign !== undefined && foreign.number <= Number(line ?? Infinity)) {
    return `${file}:${foreign.number}: cannot read what ${block.program} printed: expected a line of it in English, got ${JSON.stringify(foreign.text)}`;
  }
  return line === undefined ? `${placeOf(file, block)}: ${message}` : `${file}:${line}: ${beginning}${problem}`;
}

type Reader = (block: Block, file: string, told: NotInOutput) => Omit<ReadRun, "place">;

const READERS: Readonly<Record<Block["program"], Reader>> = { ab: readAb, wrk: readWrk, hey: readHey, json: readJson };

function readJson(block: Block, file: string, told: NotInOutput): Omit<ReadRun, "place"> {
  const value = parseJson(block, file);
  if (isObject(value)) {
    if (isK6(value)) return readK6(value, block, file, told);
    if ("latency" in value && "statusCodeStats" in value) return readAutocannon(value, block, file, told);
  }
  const keys = isObject(value) ? Object.keys(value).slice(0, 5).join(", ") : JSON.stringify(value).slice(0, 40);
  throw new ImportError(
    `${placeOf(file, block)}: expected the JSON of autocannon -j, or a summary of k6 (--summary-export, or the data of handleSummary), got an object with ${keys || "nothing"}`,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
