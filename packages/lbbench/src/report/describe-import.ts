import type { Imported } from "../model/result.js";
import { countOf } from "../stats/count-of.js";

/** Says where an imported result comes from: `Measured by ab 2.3 and wrk, imported from 2 files`; plain text. */
export function describeImport({ files }: Imported): string {
  const programs = [...new Set(files.flatMap((file) => file.programs))];
  const [last = "", ...others] = programs.toReversed();
  const names = others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
  const runs = files.reduce((sum, file) => sum + file.runs, 0);
  const count = `${countOf(runs, "run")} in ${countOf(files.length, "file")}`;
  return `Measured with ${names} (${count}) and imported`;
}
