import type { Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import { collect } from "./collect.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench init` and its flags. */
export function addInit(program: Command, run: RunCommand): void {
  program
    .command("init")
    .summary("write a config for a project, npm scripts and, if wanted, a workflow")
    .description(
      "Writes a config with comments into this folder (lbbench.config.*), adds npm scripts to its package.json and, if wanted, a workflow of " +
        "GitHub that compares base and head of a pull request.\n" +
        "On a terminal it asks for what no flag says. It overwrites nothing without being told, and installs nothing.",
    )
    .option("--url <url>", "measure a server that is running already")
    .option(
      "--command <line>",
      "measure a program that lbbench starts, without a shell; it listens on the port in PORT (default: as package.json starts it)",
    )
    .option("--backends <count>", "measure so many of that program behind a balancer, beside one alone")
    .option("--samples", "measure the sample servers of lbbench (default, where no program is found)")
    .option(
      "-c, --connections <list>",
      `levels: connections kept busy; 10:100:10 is a range (default: ${DEFAULTS.connections.join(",")})`,
    )
    .option("-d, --duration <time>", `time per step (default: ${DEFAULTS.durationMs / 1000}s)`)
    .option(
      "--threshold <expression>",
      `repeatable; what every level has to keep (default: ${DEFAULTS.init.thresholds.join(" ")})`,
      collect,
    )
    .option(
      "--format <language>",
      "of the config: ts, js, mjs or json (default: ts in a project that uses it, else mjs)",
    )
    .option("--scripts", "add npm scripts to package.json: bench, bench:max (default, where there is one)")
    .option("--no-scripts", "leave package.json as it is")
    .option("--workflow", "write .github/workflows/lbbench.yml and the config that it uses")
    .option("--no-workflow", "write no workflow (default)")
    .option("--keep", "leave files that are there already as they are, and write the others")
    .option("--force", "overwrite files, and replace scripts of package.json that have the same names")
    .option("--dry-run", "print what would be written, and write nothing")
    .option("-y, --yes", "ask nothing: take flags and defaults, as without a terminal")
    .action((options) =>
      run(async (invocation) => {
        const { runInitCommand } = await import("./init-command.js");
        return runInitCommand(options, invocation);
      }),
    );
}
