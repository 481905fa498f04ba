import { dirname, resolve } from "node:path";
import {
  DEFAULTS,
  defaultReportFolder,
  loadConfigFile,
  mergeInput,
  parseSweepInput,
  type InputSources,
  type ParsedSweepInput,
} from "../index.js";
import { nameFlag } from "./flag-names.js";
import { flagsToInput, type SweepFlags } from "./sweep-flags.js";

/** What a run is asked to do. */
export interface ReadInput {
  readonly input: ParsedSweepInput;
  /** Where the paths in it begin. */
  readonly folder: string;
}

/** Puts together what the command line and the config file say; the report goes to a folder of its own by default. */
export async function readInput(
  url: string | undefined,
  flags: SweepFlags,
  cwd: string,
  defaultName: string = DEFAULTS.name,
): Promise<ReadInput> {
  const file = await loadConfigFile(cwd, flags.config);
  const folder = file === undefined ? cwd : dirname(file.path);
  const sources: InputSources = {
    file: file === undefined ? {} : parseSweepInput(file.content, file.path),
    flags: parseSweepInput(await flagsToInput(flags, folder, cwd), nameFlag),
    targets: [...(url === undefined ? [] : [url]), ...(flags.target ?? [])],
  };
  const input = await mergeInput(sources, folder);
  return {
    input: { ...input, out: resolve(cwd, input.out ?? defaultReportFolder(input.name ?? defaultName)) },
    folder,
  };
}
