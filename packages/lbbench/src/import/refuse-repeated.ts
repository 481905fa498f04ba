import { ImportError } from "./import-error.js";
import type { FiledRun } from "./name-targets.js";

/**
 * Throws an {@link ImportError} that names both places where the output of one run is there twice: it would count as two trials, which
 * agree to the last digit.
 */
export function refuseRepeated(runs: readonly FiledRun[]): void {
  const places = new Map<string, string>();
  for (const { run, place } of runs) {
    const { program } = run;
    for (const identity of identitiesOf(run)) {
      const first = places.get(identity);
      if (first !== undefined) {
        throw new ImportError(
          `${place}: expected another run than in ${first}, got the same one of ${program} again. It would count as another trial: leave one of them out`,
        );
      }
      places.set(identity, place);
    }
  }
}

/** What no two runs have in common. Those that gave up, or sent one request, may well have printed the same. */
function identitiesOf({ program, target, trial, url, startedAt, figures, output }: FiledRun["run"]): readonly string[] {
  if (figures === undefined || figures.requests.sent < 2) return [];
  const printed = JSON.stringify([program, target ?? null, trial ?? null, output.trim()]);
  return startedAt === undefined ? [printed] : [printed, JSON.stringify([program, url ?? null, startedAt])];
}
