import type { parseWorkers } from "../../config/parsers.js";
import { settingsOf } from "../../config/settings.js";
import type { CheckStatus } from "../../index.js";
import { ExitCode, type Command, type Output } from "../io.js";
import { columnsOf, paintText, printJson, toPrintable } from "../terminal.js";
import { defined } from "../../stats/defined.js";

const COLOURS = { ok: "green", warning: "yellow", problem: "red" } as const;

interface OwnFlags {
  readonly quick?: boolean;
  readonly workers?: ReturnType<typeof parseWorkers>;
  readonly json?: boolean;
}

/** `lbbench doctor`. */
export const doctorCommand: Command = {
  name: "doctor",
  summary: "say what this machine can and cannot measure",
  about:
    "Says what this machine can and cannot measure, and what to do about it.\n" +
    "Exit code 0: no problem (there may be warnings); 1: a problem.",
  settings: [
    {
      flags: "--quick",
      about: "leave out the calibration, which keeps two cores busy for two seconds",
    },
    {
      flags: "--workers <where>",
      kind: "workers",
      about: "check also what workers need: wait:3, or ssh:gen1,gen2, which asks those hosts",
    },
    ...settingsOf("sweep").flatMap((row) => (row.path === "workersCommand" ? { ...row, needs: "--workers" } : [])),
    { flags: "--json", about: "print what was found as JSON" },
  ],
  examples: ["doctor", "doctor --quick", "doctor --workers ssh:gen1,gen2"],
  execute: async ({ read, stdout, stderr, env, catchInterrupt }) => {
    const { input, own } = await read<OwnFlags>();
    const { json, quick, workers } = own;
    const command = typeof input["workersCommand"] === "string" ? input["workersCommand"] : undefined;
    const { diagnose, renderDiagnosis } = await import("../../index.js");
    const interrupt = catchInterrupt();
    try {
      const diagnosis = await diagnose({
        quick: quick === true,
        ...defined({ workers: workers && { ...workers, ...defined({ command }) } }),
        signal: interrupt.signal,
        onPhase: (phase) => showPhase(stderr, `${phase} ...`),
      });
      showPhase(stderr, "");
      const paint = (text: string, status: CheckStatus): string => paintText(stdout, env, COLOURS[status], text);
      // Names of processors and words of programs are quoted in it.
      const checks = diagnosis.checks.map(({ found, ...check }) => ({ ...check, found: toPrintable(found) }));
      stdout.write(
        json === true ? printJson(diagnosis) : renderDiagnosis({ ...diagnosis, checks }, columnsOf(stdout), paint),
      );
      return diagnosis.status === "problem" ? ExitCode.fail : ExitCode.pass;
    } catch (error) {
      showPhase(stderr, "");
      if (!interrupt.signal.aborted) throw error;
      stderr.write("Interrupted: nothing was found out.\n");
      return ExitCode.interrupted;
    } finally {
      interrupt.release();
    }
  },
};

/** On a terminal alone: a line that the next one takes the place of. */
function showPhase(stderr: Output, text: string): void {
  if (stderr.isTTY === true) stderr.write(`\r\u001B[K${text}`);
}
