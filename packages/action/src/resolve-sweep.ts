import { dirname } from "node:path";
import {
  defaultReportFolder,
  loadConfigFile,
  mergeInput,
  NOT_IN_SWEEP,
  parseSweepInput,
  type ParsedSweepInput,
} from "lbbench";
import { describeLeftOut, fitFormats } from "./fit-formats.js";
import type { ActionInputs } from "./read-inputs.js";

/** What is to be swept. */
export interface ResolvedSweep {
  readonly input: ParsedSweepInput & { readonly out: string };
  /** Where the paths in it begin. */
  readonly folder: string;
  /** What is not done of what was asked for, a sentence; absent where everything is. */
  readonly note?: string;
  /** For the comparison with the baseline; the default of lbbench when it is `undefined`. */
  readonly margins: { readonly margin?: number; readonly errorMargin?: number };
}

/**
 * Puts together what the inputs and the config file say.
 *
 * @param cwd where the config file is looked for.
 */
export async function resolveSweep(
  inputs: Pick<ActionInputs, "config" | "targets" | "settings" | "baseline">,
  cwd: string,
): Promise<ResolvedSweep> {
  const found = await loadConfigFile(cwd, inputs.config);
  const file = found === undefined ? {} : parseSweepInput(found.content, found.path);
  const { margin, ...rest } = inputs.settings;
  const reference = rest.reference ?? file.reference;
  // Beside a baseline the margin need not be about targets, of which there may be one alone.
  const isOfBaseline = inputs.baseline !== undefined && reference === undefined;
  const flags = margin === undefined || isOfBaseline ? rest : { ...rest, margin };
  const folder = found === undefined ? cwd : dirname(found.path);
  const merged = await mergeInput({ file, flags, targets: inputs.targets }, folder);
  const kept = Object.entries(merged).filter(([name]) => !NOT_IN_SWEEP.some((setting) => setting === name));
  const input: ParsedSweepInput = Object.fromEntries(kept);
  const asked = margin ?? file.margin;
  const note = describeLeftOut(input.formats);
  return {
    input: {
      ...input,
      formats: [...fitFormats(input.formats)],
      charts: input.charts === "none" ? "none" : "mermaid",
      out: input.out ?? defaultReportFolder(input.name),
    },
    folder,
    ...(note === undefined ? {} : { note }),
    margins: {
      ...(asked === undefined ? {} : { margin: asked }),
      ...(file.errorMargin === undefined ? {} : { errorMargin: file.errorMargin }),
    },
  };
}
