import type { Command } from "commander";
import type { SetExitCode } from "./set-exit-code.js";

/** Adds `lbbench doctor` and its flags. */
export function addDoctor(program: Command, setExitCode: SetExitCode): void {
  program
    .command("doctor")
    .summary("say what this machine can and cannot measure")
    .description(
      "Says what this machine can and cannot measure, and what to do about it.\n" +
        "Exit code 0: no problem (there may be warnings); 1: a problem.",
    )
    .option("--quick", "leave out the calibration, which keeps two cores busy for two seconds")
    .option("--json", "print what was found as data")
    .action(async (options) => {
      const { runDoctorCommand } = await import("./doctor-command.js");
      setExitCode(await runDoctorCommand(options));
    });
}
