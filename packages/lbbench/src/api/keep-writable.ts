import type { ReportFile } from "../plugin.js";
import { isPlainName } from "../store/plain-name.js";
import { RESULT_FILE } from "../store/read-result.js";

/** What one reporter has rendered. */
export interface RenderedFiles {
  readonly format: string;
  readonly isBuiltIn: boolean;
  readonly files: readonly ReportFile[];
}

/** The files of a report that may be written, and a sentence for each that may not. */
export interface WritableFiles {
  readonly files: readonly ReportFile[];
  readonly problems: readonly string[];
}

/**
 * Leaves out what would be written elsewhere than to the folder of the report, or over a file of another reporter. Built-in
 * reporters come before plugins, which never write the result itself. Names that differ in case alone are one file to many systems.
 */
export function keepWritable(rendered: readonly RenderedFiles[]): WritableFiles {
  const owners = new Map<string, string>([[RESULT_FILE, "the result itself"]]);
  const files: ReportFile[] = [];
  const problems: string[] = [];
  const builtIn = rendered.filter(({ isBuiltIn }) => isBuiltIn);
  for (const { files: own } of builtIn) files.push(...own);
  for (const { format, files: own } of builtIn) {
    for (const { name } of own) {
      if (!owners.has(toKey(name))) owners.set(toKey(name), `a file of the format "${format}"`);
    }
  }
  for (const { format, isBuiltIn, files: own } of rendered) {
    if (isBuiltIn) continue;
    for (const file of own) {
      const fault = describeFault(file.name, owners);
      if (fault === undefined) {
        files.push(file);
        owners.set(toKey(file.name), `a file of the format "${format}"`);
      } else {
        problems.push(`The format "${format}": ${JSON.stringify(file.name)} was not written: ${fault}`);
      }
    }
  }
  return { files, problems };
}

function describeFault(name: string, owners: ReadonlyMap<string, string>): string | undefined {
  if (!isPlainName(name)) {
    return "expected the plain name of a file in the folder of the report. Have the reporter return one without a path, chart.txt.";
  }
  const owner = owners.get(toKey(name));
  return owner && `${owner} has that name. Have the reporter choose another one.`;
}

function toKey(name: string): string {
  return name.toLowerCase();
}
