import { ImportError } from "./import-error.js";
import type { ImportedRun, NotInOutput } from "./imported-run.js";

/** A run by time ends at most this part of it too early, or too late. */
const TOLERANCE = 0.1;
/** What a program takes beside that to come to its end. */
const SLACK_MS = 200;

/**
 * Checks what is said beside a file against what its output tells, so that neither overrules the other. Throws an {@link ImportError}
 * where it tells other connections or another amount, and where it did not last as long as is said.
 *
 * @param place of the output, for messages.
 */
export function checkTold(run: ImportedRun, told: NotInOutput, place: string): void {
  const { program, connections, sockets, amount, figures } = run;
  const fail = (expected: string, flag: string, got: string): never => {
    throw new ImportError(
      `${place}: expected ${expected}, as ${flag} says, and ${program} ${got}. Leave ${flag} out, or import this run without it`,
    );
  };
  if (told.connections !== undefined && told.connections !== connections && told.connections !== sockets) {
    fail(`a run with ${told.connections} connections`, "--connections", `had ${sockets ?? connections}`);
  }
  if (told.durationMs === undefined) return;
  const expected = `a run of ${told.durationMs} ms`;
  if ("requests" in amount) return fail(expected, "--duration", `was asked for ${amount.requests} requests`);
  if (amount.durationMs !== told.durationMs) fail(expected, "--duration", `was asked for ${amount.durationMs} ms`);
  if (figures === undefined) return;
  const { elapsedMs, latency, failedLatency } = figures;
  // Some wait for what is under way at the end.
  const lateMs = SLACK_MS + Math.max(latency?.max ?? 0, failedLatency?.max ?? 0);
  const isLike =
    elapsedMs >= told.durationMs * (1 - TOLERANCE) && elapsedMs <= told.durationMs * (1 + TOLERANCE) + lateMs;
  if (!isLike) fail(expected, "--duration", `took ${Math.round(elapsedMs)} ms`);
}
