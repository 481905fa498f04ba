import type { Command } from "commander";
import type { RunCommand } from "./io.js";

/** Adds `lbbench doctor` and its flags. */
export function addDoctor(program: Command, run: RunCommand): void {
  program
    .command("doctor")
    .summary("say what this machine can and cannot measure")
    .description(
      "Says what this machine can and cannot measure, and what to do about it.\n" +
        "Exit code 0: no problem (there may be warnings); 1: a problem.",
    )
    .option("--quick", "leave out the calibration, which keeps two cores busy for two seconds")
    .option("--json", "print what was found as data")
    .action((options) =>
      run(async (invocation) => {
        const { runDoctorCommand } = await import("./doctor-command.js");
        return runDoctorCommand(options, invocation);
      }),
    );
}
