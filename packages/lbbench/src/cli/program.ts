import { Command } from "commander";
import { TOOL } from "../own-package.js";
import { addCompare } from "./add-compare.js";
import { addDoctor } from "./add-doctor.js";
import { addImport } from "./add-import.js";
import { addInit } from "./add-init.js";
import { addMax } from "./add-max.js";
import { addProxy } from "./add-proxy.js";
import { addRamp } from "./add-ramp.js";
import { addReport } from "./add-report.js";
import { addServe } from "./add-serve.js";
import { addSweep } from "./add-sweep.js";
import type { RunCommand } from "./io.js";

/**
 * Builds the command line. What a command needs is loaded when it runs, so that help costs little more than starting
 * Node. Errors of usage are thrown after they were printed.
 *
 * @param run called with the command that was chosen.
 */
export function createProgram(run: RunCommand): Command {
  const program = new Command("lbbench")
    .description("Measures HTTP load balancers and the servers behind them.")
    .exitOverride()
    .version(TOOL.version, "-V, --version", "print the version")
    .showHelpAfterError("(lbbench --help says what there is)");
  addSweep(program, run);
  addMax(program, run);
  addRamp(program, run);
  addReport(program, run);
  addCompare(program, run);
  addImport(program, run);
  addProxy(program, run);
  addServe(program, run);
  addDoctor(program, run);
  addInit(program, run);
  for (const command of program.commands) {
    command.showHelpAfterError(`(lbbench ${command.name()} --help says what there is)`);
  }
  return program;
}
