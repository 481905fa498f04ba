import type { Command } from "commander";
import { CHART_STYLES } from "../config/chart-styles.js";
import { DEFAULTS } from "../config/defaults.js";
import { collect } from "./collect.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench import` and its flags. */
export function addImport(program: Command, run: RunCommand): void {
  program
    .command("import")
    .summary("judge and report the saved output of other load generators")
    .description(
      "Makes a result of the saved output of ab, wrk and hey, of autocannon -j and of k6's summary, judges it and writes a report. What the output does not tell stays missing.",
    )
    .argument("<file...>", "files with the output of one or many runs; - reads the standard input")
    .option("-o, --out <dir>", `folder of the report (default: ${DEFAULTS.outFolder}/NAME-TIMESTAMP)`)
    .option("-f, --format <list>", `formats (default: ${DEFAULTS.formats.join(",")})`)
    .option("--charts <style>", `in Markdown: ${CHART_STYLES.join(", ")} (default: ${DEFAULTS.charts})`)
    .option("--name <name>", `name of the result (default: ${DEFAULTS.import.name})`)
    .option(
      "-t, --target <name>",
      "what to call the target, where all runs are of one (default: host, port and path, or the file)",
    )
    .option("-c, --connections <n>", "connections of runs that do not tell them (hey)")
    .option("-d, --duration <time>", "time that runs were asked to last, where they do not tell it (ab -t)")
    .option("--threshold <expr>", "condition that every run has to meet; repeatable", collect)
    .option("--quiet", "print nothing but errors")
    .option("--json", "print the result on stdout, and nothing else there")
    .action((files: readonly string[], options) =>
      run(async (invocation) => {
        const { runImportCommand } = await import("./import-command.js");
        return runImportCommand(files, options, invocation);
      }),
    );
}
