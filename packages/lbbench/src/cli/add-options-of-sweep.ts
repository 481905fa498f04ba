import type { Command } from "commander";

/** Gives a command the flags of `lbbench sweep`, which the program must have already, but for some (`--connections`). */
export function addOptionsOfSweep(command: Command, program: Command, except: ReadonlySet<string>): void {
  const sweep = program.commands.find((one) => one.name() === "sweep");
  for (const option of sweep?.options ?? []) {
    if (!except.has(option.long ?? "")) command.addOption(option);
  }
}
