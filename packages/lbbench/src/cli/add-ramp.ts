import type { Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import { addOptionsOfSweep } from "./add-options-of-sweep.js";
import type { RunCommand } from "./io.js";

/** Flags of a sweep that a ramp has not, or describes in its own way. */
const FLAGS_LEFT_OUT = new Set([
  "--connections",
  "--rate",
  "--requests",
  "--duration",
  "--poisson",
  "--max-in-flight",
  "--stop-on",
  "--order",
  "--seed",
  "--name",
  "--warmup",
]);

/** Adds `lbbench ramp` and its flags. */
export function addRamp(program: Command, run: RunCommand): void {
  const { ramp } = DEFAULTS;
  const command = program
    .command("ramp")
    .summary("raise users over time")
    .description(
      "Raises the number of users over time, each of whom sends the next request when the last is answered, and tells second by " +
        "second how the target answers.\n" +
        `Without a URL or a target it compares three of its own: ${DEFAULTS.targets.map(({ name }) => name).join(", ")}.`,
    )
    .argument("[url]", "a server that is running")
    .option("--from <users>", `users there are from the start (default: ${ramp.from})`)
    .option("--to <users>", `users there are in the end (default: ${ramp.to})`)
    .option("--over <time>", `time in which they rise (default: ${ramp.riseMs / 1000}s)`)
    .option(
      "--steps <count>",
      "equal steps in which they come, each at its end, or none (default: one user after the other)",
    )
    .option(
      "--hold <time>",
      `how long all of them stay (default: ${ramp.holdMs / 1000}s, with --steps as long as each of them)`,
    )
    .option(
      "--warmup <time>",
      `load of the first users before each step that is not counted, 0 for none (default: ${DEFAULTS.warmup}, until throughput is steady)`,
    )
    .option("--order <order>", `of the targets: interleaved or random (default: ${DEFAULTS.order})`)
    .option("--seed <number>", `another random order (default: ${DEFAULTS.seed})`)
    .option("--name <name>", `name of the run (default: ${ramp.name})`);
  addOptionsOfSweep(command, program, FLAGS_LEFT_OUT);
  command.action((url: string | undefined, options) =>
    run(async (invocation) => {
      const { runRampCommand } = await import("./ramp-command.js");
      return runRampCommand(url, options, invocation);
    }),
  );
}
