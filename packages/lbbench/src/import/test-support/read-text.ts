import { ConfigError } from "../../config/config-error.js";
import { ImportError, type NotInOutput, type ReadRun } from "../imported-run.js";
import { readOutput } from "../read-output.js";

/** Reads a text as if it were in the file `saved.txt`. */
export function readText(text: string | Uint8Array, told: NotInOutput = {}): readonly ReadRun[] {
  return readOutput(Buffer.from(text), "saved.txt", told);
}

/** What a run tells beside its output as it came, wherever that stands. */
export function toldBy(run: ReadRun): Omit<ReadRun, "output" | "place" | "file"> {
  const { output: _, place: _also, file: _file, ...told } = run;
  return told;
}

/** Reads a text; `undefined` where it is refused with an error that names the file and a line, as it has to. */
export function readOrRefuse(text: string, told: NotInOutput = {}): readonly ReadRun[] | undefined {
  try {
    return readText(text, told);
  } catch (error) {
    if ((error instanceof ImportError || error instanceof ConfigError) && /^saved\.txt:\d+/.test(error.message))
      return undefined;
    throw error;
  }
}
