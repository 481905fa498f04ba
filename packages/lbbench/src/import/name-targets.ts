import { basename, extname } from "node:path";
import { ConfigError } from "../config/config-error.js";
import { addressOf } from "../stats/url-address.js";
import type { ImportedRun } from "./imported-run.js";

/** A run, the file it came from, and where its output stands in it: `runs.txt:12-45`. */
export interface FiledRun {
  readonly run: ImportedRun;
  readonly file: string;
  readonly place: string;
}

/** A run, and the target it is of. */
export interface NamedRun extends FiledRun {
  readonly target: string;
}

/**
 * Says of which target each run is: of the URL it asked, or, where it does not tell one, of its file. Runs of another program, or some
 * with keep-alive and some without, are of another target, because their figures do not compare.
 *
 * @param name what to call the only target; throws a {@link ConfigError} where there are several.
 */
export function nameTargets(runs: readonly FiledRun[], name?: string): readonly NamedRun[] {
  const described = runs.map((filed) => ({ ...filed, address: describe(filed) }));
  const named = described.map(({ address, ...one }): NamedRun => {
    const alike = described.filter((other) => other.address === address);
    const details = [
      ...(isOfSeveral(alike, ({ run }) => run.program) ? [one.run.program] : []),
      ...(isOfSeveral(alike, ({ run }) => run.keepAlive) ? [describeKeepAlive(one.run.keepAlive)] : []),
    ];
    return { ...one, target: `${address}${details.length === 0 ? "" : ` (${details.join(", ")})`}` };
  });
  if (name === undefined) return named;
  const targets = [...new Set(named.map(({ target }) => target))];
  if (targets.length === 1) return named.map((one) => ({ ...one, target: name }));
  throw new ConfigError(
    `--target: expected runs of one target, got some of ${targets.map((target) => JSON.stringify(target)).join(", ")}. ` +
      "Import them apart, or leave --target out",
  );
}

function describe({ run: { url, target, program }, file }: FiledRun): string {
  if (target !== undefined) return target;
  if (url === undefined) return file === "-" ? program : basename(file, extname(file));
  const { hostname, pathname, search } = new URL(url);
  return `${hostname}:${addressOf(url).port}${pathname}${search}`;
}

function isOfSeveral<One>(runs: readonly One[], of: (one: One) => unknown): boolean {
  return new Set(runs.map(of)).size > 1;
}

function describeKeepAlive(keepAlive: boolean | null): string {
  return keepAlive === null ? "keep-alive not told" : keepAlive ? "keep-alive" : "no keep-alive";
}
