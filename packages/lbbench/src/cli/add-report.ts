import type { Command } from "commander";
import { CHART_STYLES } from "../config/chart-styles.js";
import { DEFAULTS } from "../config/defaults.js";
import { FORMAT_NAMES } from "../config/format-names.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench report` and its flags. */
export function addReport(program: Command, run: RunCommand): void {
  program
    .command("report")
    .summary("render a result again")
    .description("Renders a result.json again, or in other formats.")
    .argument("<result>", "a result.json, or the folder it is in")
    .option("-o, --out <dir>", "folder of the report (default: that of the result)")
    .option("-f, --format <list>", `of ${FORMAT_NAMES.join(", ")} (default: ${DEFAULTS.formats.join(",")})`)
    .option("--charts <style>", `in Markdown: ${CHART_STYLES.join(", ")} (default: ${DEFAULTS.charts})`)
    .option("--quiet", "print nothing but errors")
    .action((result: string, options) =>
      run(async (invocation) => {
        const { runReportCommand } = await import("./report-command.js");
        return runReportCommand(result, options, invocation);
      }),
    );
}
