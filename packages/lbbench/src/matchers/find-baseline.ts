import { ConfigError, listWords, suggest } from "../config/config-error.js";
import type { Result } from "../model/result.js";
import { OutputError } from "../store/output-error.js";
import { readResultSync } from "../store/read-result.js";
import { isMeasured, toResult } from "./measured.js";
import type { Measured } from "./measured.js";

/** What a result is compared with: a target of its own by its name, another result, or the path of one that was written. */
export type Baseline = string | Measured;

/** A baseline that was found. */
export type FoundBaseline = { readonly target: string } | { readonly result: Result; readonly path?: string };

/**
 * Finds what is meant by a baseline. A text that is the name of a target of the result means that, any other a path. Throws a
 * `ConfigError` for what is neither.
 */
export function findBaseline(baseline: unknown, { scenario }: Pick<Result, "scenario">): FoundBaseline {
  if (isMeasured(baseline)) return { result: toResult(baseline) };
  if (typeof baseline !== "string") return { result: toResult(baseline, "the baseline") };
  const names = scenario.targets.map(({ name }) => name);
  if (names.includes(baseline)) return { target: baseline };
  try {
    return readResultSync(baseline);
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    throw new ConfigError(
      `baseline: expected a target of the result (${listWords(names)}) or the path of a result, ` +
        `got "${baseline}".${suggest(baseline, names)} ${error.message}`,
      { cause: error },
    );
  }
}
