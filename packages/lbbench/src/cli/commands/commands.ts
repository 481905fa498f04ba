import type { Command } from "../io.js";
import { compareCommand } from "./compare.js";
import { completionCommand } from "./completion.js";
import { doctorCommand } from "./doctor.js";
import { importCommand } from "./import.js";
import { initCommand } from "./init.js";
import { maxCommand } from "./max.js";
import { proxyCommand } from "./proxy.js";
import { rampCommand } from "./ramp.js";
import { reportCommand } from "./report.js";
import { serveCommand } from "./serve.js";
import { sweepCommand } from "./sweep.js";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  sweepCommand,
  maxCommand,
  rampCommand,
  reportCommand,
  compareCommand,
  importCommand,
  proxyCommand,
  serveCommand,
  doctorCommand,
  initCommand,
  completionCommand,
];
