import type { Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import { addOptionsOfSweep } from "./add-options-of-sweep.js";
import { collect } from "./collect.js";
import type { RunCommand } from "./io.js";

/** Flags of a sweep that a search has not, or describes in its own way. */
const FLAGS_LEFT_OUT = new Set([
  "--connections",
  "--rate",
  "--requests",
  "--duration",
  "--poisson",
  "--max-in-flight",
  "--reference",
  "--margin",
  "--trials",
  "--timeout",
  "--threshold",
  "--stop-on",
  "--order",
  "--seed",
  "--name",
  "--warmup",
]);

/** Adds `lbbench max` and its flags. */
export function addMax(program: Command, run: RunCommand): void {
  const { search } = DEFAULTS;
  const command = program
    .command("max")
    .summary("search the largest load that still holds")
    .description(
      "Searches the largest number of connections, or the largest rate, at which no request fails and every threshold is met: " +
        "upwards by doubling until a level does not hold, then to the middle of what held and what did not.\n" +
        "Exit code 0: it was found; 1: not even 1 holds; 3: it cannot be said.",
    )
    .argument("[url]", "a server that is running")
    .option("--by <what>", `connections, or rate: requests per second of an open loop (default: ${search.by})`)
    .option(
      "--start <value>",
      `the first that is tried (default: ${search.start.connections}, by rate ${search.start.rate})`,
    )
    .option(
      "--most <value>",
      `the largest that is tried (default: ${search.most.connections}, by rate ${search.most.rate})`,
    )
    .option("--resolution <share>", `what is near enough (default: ${search.resolution * 100}%, and always 1)`)
    .option("--trials <count>", `most repetitions of every level (default: ${search.trials})`)
    .option("--needed <count>", "how many of them have to hold (default: more than half)")
    .option("--beyond <factor>", "run beyond the limit as well: 1.25 is a quarter above")
    .option("--threshold <expression>", `repeatable; what has to hold (default: ${search.threshold})`, collect)
    .option("-d, --duration <time>", `time per step (default: ${DEFAULTS.durationMs / 1000}s)`)
    .option(
      "--warmup <time>",
      `load before each step that is not counted, 0 for none (default: ${DEFAULTS.warmup}, until throughput is steady)`,
    )
    .option(
      "--timeout <time>",
      `longest wait for an answer (default: half a step, at most ${DEFAULTS.timeoutMs / 1000}s)`,
    )
    .option("--poisson", "by rate: requests leave at random, with an exponential distribution of the gaps")
    .option("--seed <number>", `with --poisson: another schedule (default: ${DEFAULTS.seed})`)
    .option("--max-in-flight <count>", `by rate: requests open at a time (default: ${DEFAULTS.arrival.maxInFlight})`)
    .option("--name <name>", `name of the run (default: ${search.name})`);
  addOptionsOfSweep(command, program, FLAGS_LEFT_OUT);
  command.action((url: string | undefined, options) =>
    run(async (invocation) => {
      const { runMaxCommand } = await import("./max-command.js");
      return runMaxCommand(url, options, invocation);
    }),
  );
}
