import type { Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import type { SetExitCode } from "./set-exit-code.js";

/** Adds `lbbench report` and its flags. */
export function addReport(program: Command, setExitCode: SetExitCode): void {
  program
    .command("report")
    .summary("render a result again")
    .description("Renders a result.json again, or in other formats.")
    .argument("<result>", "a result.json, or the folder it is in")
    .option("-o, --out <dir>", "folder of the report (default: that of the result)")
    .option("-f, --format <list>", `formats (default: ${DEFAULTS.formats.join(",")})`)
    .option("--quiet", "print nothing but errors")
    .action(async (result: string, options) => {
      const { runReportCommand } = await import("./report-command.js");
      setExitCode(await runReportCommand(result, options));
    });
}
