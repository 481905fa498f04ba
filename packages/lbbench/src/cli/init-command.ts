import { join } from "node:path";
import { ConfigError, wrapWords } from "../index.js";
import { TOOL_ACTION } from "../init/tool-action.js";
import { defaultAnswers } from "../init/default-answers.js";
import { findConflicts } from "../init/find-conflicts.js";
import { guessCommand } from "../init/guess-command.js";
import { planInit, type InitPlan, type PlannedFile } from "../init/plan-init.js";
import { readFolder } from "../init/read-folder.js";
import { writeFiles } from "../init/write-files.js";
import { ExitCode } from "./exit-code.js";
import type { CommandIo } from "./io.js";
import { readInitFlags, type InitFlags } from "./init-flags.js";
import { toPrintable } from "./printable.js";

/** Runs `lbbench init` in the working folder; resolves with its exit code: 130 where a question was left, with nothing written. */
export async function runInitCommand(flags: InitFlags, io: CommandIo): Promise<number> {
  const folder = await readFolder(io.cwd);
  const guessed = guessCommand(folder);
  const given = readInitFlags(flags, guessed);
  const offered = defaultAnswers(folder);
  const asks = flags.yes !== true && io.openStdin().isTTY === true && io.stdout.isTTY === true;
  const streams = () => ({ input: io.openStdin(), output: io.stdout });
  // Questions take a library that nothing else needs.
  const questions = asks ? await import("./ask-answers.js") : undefined;
  try {
    const answers = (await questions?.askAnswers(streams(), given, offered, { folder, guessed })) ?? {
      ...offered,
      ...given,
    };
    const plan = planInit(answers, folder, { action: TOOL_ACTION, force: flags.force === true });
    const conflicts = await findConflicts(folder.path, plan.files);
    if (flags.dryRun === true) {
      io.stdout.write(renderDryRun(plan, conflicts));
      return ExitCode.pass;
    }
    const kept =
      flags.force === true
        ? []
        : flags.keep === true
          ? conflicts
          : await chooseKept(conflicts, questions && ((message) => questions.askYes(streams(), message, false)));
    const files = plan.files.filter((file) => !kept.includes(file));
    await writeFiles(folder.path, files);
    io.stdout.write(renderOutcome({ ...plan, files }, kept, io.stdout.columns || 100));
    return ExitCode.pass;
  } catch (error) {
    if (questions === undefined || !(error instanceof questions.QuestionLeft)) throw error;
    io.stderr.write("Nothing was written.\n");
    return ExitCode.interrupted;
  }
}

/** Files that are there and stay so: asked one by one; where nobody can be asked they are an error. */
async function chooseKept(
  conflicts: readonly PlannedFile[],
  askYes: ((message: string) => Promise<boolean>) | undefined,
): Promise<readonly PlannedFile[]> {
  if (conflicts.length > 0 && askYes === undefined) {
    throw new ConfigError(
      `Expected to overwrite nothing, but there is already:\n${conflicts.map(({ path }) => `  ${path}`).join("\n")}\n` +
        "Give --force to overwrite, or --keep to leave what is there and write the others. Nothing was written.",
    );
  }
  const kept: PlannedFile[] = [];
  for (const file of conflicts) {
    if ((await askYes?.(`Overwrite ${file.path}?`)) !== true) kept.push(file);
  }
  return kept;
}

function renderDryRun({ files, notes }: InitPlan, conflicts: readonly PlannedFile[]): string {
  const blocks = files.map(
    (file) => `--- ${file.path}${conflicts.includes(file) ? " (is there already)" : ""}\n${file.content}`,
  );
  return toPrintable(`${blocks.join("\n")}\n${notes.map((note) => `${note}\n`).join("")}Nothing was written.\n`);
}

function renderOutcome({ files, notes, next }: InitPlan, kept: readonly PlannedFile[], width: number): string {
  const lines = [
    ...(files.length === 0 ? ["There was nothing to write."] : []),
    ...files.map(({ path, manner }) => `${manner === "edit" ? "Changed" : "Wrote"} ${join(path)}`),
    ...kept.map(({ path }) => `Left ${join(path)} as it is`),
    ...notes.flatMap((note) => wrapWords(note, width, "  ")),
    "",
    "Next:",
    ...next.map((command) => `  ${command}`),
  ];
  return toPrintable(`${lines.join("\n")}\n`);
}
