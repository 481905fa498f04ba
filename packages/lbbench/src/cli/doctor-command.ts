import { diagnose, renderDiagnosis, type CheckStatus, type Diagnosis } from "../index.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo, Output } from "./io.js";
import { paintText } from "./paint-text.js";
import { toPrintable } from "./printable.js";

/** The flags of `lbbench doctor`. */
export interface DoctorFlags {
  readonly json?: boolean;
  readonly quick?: boolean;
}

/**
 * Runs `lbbench doctor`; resolves with its exit code: 0 without a problem (warnings are none), 1 with one, 130 when it was
 * interrupted.
 */
export async function runDoctorCommand({ json = false, quick = false }: DoctorFlags, io: CommandIo): Promise<number> {
  const { stdout, stderr } = io;
  const interrupt = io.catchInterrupt();
  try {
    const diagnosis = await diagnose({
      quick,
      signal: interrupt.signal,
      onPhase: (phase) => showPhase(stderr, `${phase} ...`),
    });
    showPhase(stderr, "");
    stdout.write(json ? `${JSON.stringify(diagnosis, null, 2)}\n` : render(diagnosis, io));
    return diagnosis.status === "problem" ? ExitCode.fail : ExitCode.pass;
  } catch (error) {
    showPhase(stderr, "");
    if (!interrupt.signal.aborted) throw error;
    stderr.write("Interrupted: nothing was found out.\n");
    return ExitCode.interrupted;
  } finally {
    interrupt.release();
  }
}

/** On a terminal alone: a line that the next one takes the place of. */
function showPhase(stderr: Output, text: string): void {
  if (stderr.isTTY === true) stderr.write(`\r\u001B[K${text}`);
}

const COLOURS = { ok: "green", warning: "yellow", problem: "red" } as const;

function render(diagnosis: Diagnosis, { stdout, env }: CommandIo): string {
  const paint = (text: string, status: CheckStatus): string => paintText(stdout, env, COLOURS[status], text);
  // Names of processors and words of programs are quoted in it.
  const plain = {
    ...diagnosis,
    checks: diagnosis.checks.map(({ found, ...check }) => ({ ...check, found: toPrintable(found) })),
  };
  return renderDiagnosis(plain, stdout.columns || undefined, paint);
}
