import type { Command } from "../io.js";
import { compareCommand } from "./compare.js";
import { completionCommand } from "./completion.js";
import { doctorCommand } from "./doctor.js";
import { importCommand } from "./import.js";
import { initCommand } from "./init.js";
import { proxyCommand } from "./proxy.js";
import { reportCommand } from "./report.js";
import { runCommands } from "./runs.js";
import { serveCommand } from "./serve.js";
import { workerCommand } from "./worker.js";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...runCommands,
  reportCommand,
  compareCommand,
  importCommand,
  proxyCommand,
  serveCommand,
  workerCommand,
  doctorCommand,
  initCommand,
  completionCommand,
];
