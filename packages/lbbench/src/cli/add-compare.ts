import type { Command } from "commander";
import { DEFAULTS } from "../config/defaults.js";
import { collect } from "./collect.js";
import type { RunCommand } from "./io.js";

/** Adds `lbbench compare` and its flags. */
export function addCompare(program: Command, run: RunCommand): void {
  program
    .command("compare")
    .summary("judge one result against another")
    .description(
      "Judges result B against result A, level by level, over their trials.\n" +
        "Exit code 0: B is not worse; 1: it is, beyond the margin; 3: that cannot be told.",
    )
    .argument("<A>", "the reference: a result.json, or the folder it is in")
    .argument("<B>", "what is judged against it")
    .option(
      "--margin <share>",
      `by how much throughput and latency may be worse (default: ${Number((DEFAULTS.margin * 100).toPrecision(6))}%)`,
    )
    .option(
      "-t, --target <A=B>",
      "repeatable; compare a target of A with one of B, or one that both have (default: those of the same name)",
      collect,
    )
    .option("-f, --format <format>", "md or text (default: text on a terminal, else md)")
    .option("--quiet", "print nothing but errors")
    .option("--json", "print the comparison as data, and nothing else")
    .action((a: string, b: string, options) =>
      run(async (invocation) => {
        const { runCompareCommand } = await import("./compare-command.js");
        return runCompareCommand(a, b, options, invocation);
      }),
    );
}
