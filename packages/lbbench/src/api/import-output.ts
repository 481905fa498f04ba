import { resolve } from "node:path";
import * as z from "zod";
import { ConfigError, describeFailure } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { FileTooLargeError, readBounded } from "../config/read-file.js";
import { refuseMetrics } from "../config/resolve.js";
import { nameSetting, sweepInputSchema } from "../config/schema.js";
import { validate } from "../config/validate.js";
import { name as nameSchema } from "../config/values.js";
import { ImportError } from "../import/imported-run.js";
import type { ImportedFile, Result } from "../model/result.js";
import { TOOL } from "../own-package.js";
import { defined } from "../stats/defined.js";

/** A file to import: its path, or its name and what is in it. */
export type ImportSource =
  | string
  | { readonly name: string; readonly content: Uint8Array | string; readonly modifiedAt?: string };

/** What can be said of output that is imported. */
export interface ImportOptions {
  /** Of the scenario; `import` by default. */
  readonly name?: string;
  /** What to call the target, where all runs are of one; by default host, port and path, or the name of the file. */
  readonly target?: string;
  /** Conditions to judge it by: `p99<50ms`. */
  readonly thresholds?: readonly string[];
  /** Connections of runs that do not tell them (hey, oha, k6 with `http.batch`). A run that tells others is refused. */
  readonly connections?: number;
  /** Time that runs were asked to last, where they do not tell it (`ab -t`): `10s`. A run that took another time is refused. */
  readonly duration?: string;
  /** Folder in which relative paths of files begin; the working folder by default. */
  readonly folder?: string;
}

/** An imported result, and what of its files is not in it. */
export interface ImportOutcome {
  readonly result: Result;
  /** A sentence for each thing that was left out or is not in the output. */
  readonly notes: readonly string[];
}

/**
 * Makes a result of what `ab`, `wrk`, `hey`, `oha`, autocannon and k6 have printed, or of their JSON, and judges it. What these do not tell
 * is missing in it; lines that contradict each other are findings. Prints nothing, and writes no file.
 *
 * Rejects with an `ImportError` that names file and line where no run tells requests or a rate, or one is cut off, and with a `ConfigError` where the options
 * do not fit.
 */
export async function importOutput(
  sources: readonly ImportSource[],
  options: ImportOptions = {},
): Promise<ImportOutcome> {
  if (sources.length === 0) throw new ConfigError("expected a file to import, got none");
  // Much code, which who imports nothing has no use for.
  const [{ readOutput }, { noteTrials, noteUntold, toResult, withoutRepeated }] = await Promise.all([
    import("../import/read-output.js"),
    import("../import/to-result.js"),
  ]);
  const { name, target, connections, duration: durationMs, thresholds = [] } = checkOptions(options);
  const told = defined({ connections, durationMs });
  const now = new Date().toISOString();
  const opened = numberNames(sources.map((source) => openSource(source, options.folder ?? ".")));
  const read = opened.map(({ name, content, modifiedAt }) => ({
    name,
    modifiedAt,
    runs: readOutput(content, name, told),
  }));
  const { runs: kept, notes: leftOut } = withoutRepeated(read.flatMap(({ runs }) => runs));
  const files = read.map(({ name, modifiedAt }): ImportedFile => {
    const runs = kept.filter(({ file }) => file === name);
    const programs = runs.map(({ program, version }) =>
      (version ?? null) === null ? program : `${program} ${version}`,
    );
    return { name, modifiedAt, programs: [...new Set(programs)], runs: runs.length };
  });
  const result = toResult(kept, {
    tool: TOOL,
    name: name ?? DEFAULTS.import.name,
    ...defined({ target }),
    thresholds,
    files,
    times: new Map(read.map(({ name, modifiedAt }) => [name, modifiedAt ?? now])),
  });
  const notes = read.flatMap(({ name, runs }) => {
    const conditions = [...new Set(runs.flatMap((run) => run.thresholds ?? []))];
    return conditions.length === 0
      ? []
      : [`${name}: the thresholds of k6 are not taken over (${conditions.join(", ")}): say them with --threshold`];
  });
  const trials = options.target === undefined ? noteTrials(kept) : [];
  return { result, notes: [...leftOut, ...notes, ...noteUntold(kept), ...trials] };
}

interface OpenedSource {
  readonly name: string;
  readonly content: Uint8Array;
  readonly modifiedAt: string | null;
}

/** Tells sources of one name apart: `ab.txt`, `ab.txt (2)`. */
function numberNames(sources: readonly OpenedSource[]): readonly OpenedSource[] {
  return sources.map((source, at) => {
    const before = sources.slice(0, at).filter(({ name }) => name === source.name).length;
    return before === 0 ? source : { ...source, name: `${source.name} (${before + 1})` };
  });
}

function openSource(source: ImportSource, folder: string): OpenedSource {
  if (typeof source === "string") return readSource(source, folder);
  const { name, content, modifiedAt = null } = source;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  checkSize(bytes.length, name);
  return { name, content: bytes, modifiedAt };
}

function readSource(path: string, folder: string): OpenedSource {
  try {
    const { bytes, modifiedAt } = readBounded(resolve(folder, path), DEFAULTS.import.mostBytes);
    return { name: path, content: bytes, modifiedAt: modifiedAt.toISOString() };
  } catch (cause) {
    if (cause instanceof FileTooLargeError) checkSize(cause.bytes, path);
    const why = describeFailure(cause);
    throw new ImportError(`expected a file with the output of a load generator, got "${path}": ${why}`, { cause });
  }
}

function checkSize(bytes: number, name: string): void {
  if (bytes <= DEFAULTS.import.mostBytes) return;
  throw new ImportError(
    `${name}: expected what load generators print of their runs, at most ${DEFAULTS.import.mostBytes / 1024 ** 2} MiB, got ${Math.ceil(bytes / 1024 ** 2)} MiB. ` +
      "Does it hold single requests? Save the summary alone",
  );
}

/** Checks what a config would say in the same words. */
function checkOptions({ name, target, connections, duration, thresholds }: ImportOptions) {
  const own = { target: nameSchema.optional(), connections: z.int().min(1).optional() };
  const schema = sweepInputSchema.pick({ name: true, duration: true, thresholds: true }).extend(own);
  const checked = validate(schema, { name, target, connections, duration, thresholds }, nameSetting);
  refuseMetrics(checked, { faults: false, deadline: false });
  return checked;
}
