import { basename, dirname, resolve } from "node:path";
import { nameFlag, settingsOf } from "../../config/settings.js";
import { ExitCode, type Command } from "../io.js";
import type { Shown } from "../run.js";
import { toPrintable } from "../terminal.js";
import { defined } from "../../stats/defined.js";

/** `lbbench report`. */
export const reportCommand: Command = {
  name: "report",
  summary: "render a result again",
  about: "Renders a result.json again, or in other formats.",
  arguments: [{ name: "<result>", about: "a result.json, or the folder it is in" }],
  settings: settingsOf("report"),
  examples: ["report reports/sweep-20261121-140312-057 -f html,csv", "report before -o wiki -f md --charts mermaid"],
  execute: async ({ words: [given], read, stdout, stderr, cwd }) => {
    const { DEFAULTS, openReportFolder, parseSweepInput, readResult, renderReport } = await import("../../index.js");
    const { refuseReport } = await import("../run.js");
    const { input, own } = await read<Pick<Shown, "quiet"> & { readonly force?: boolean }>();
    const { out, formats = DEFAULTS.formats, charts } = parseSweepInput(input, nameFlag);
    const { path, result } = await readResult(resolve(cwd, String(given)));
    const to = out === undefined ? dirname(path) : resolve(cwd, out);
    const isOwn = to === dirname(path) && basename(path) === "result.json";
    if (!isOwn) refuseReport(out ?? dirname(String(given)), own.force, cwd);
    const folder = await openReportFolder(to);
    const options = { ...defined({ charts }), present: await folder.list(), folder: cwd };
    const { files, problems } = await renderReport(result, formats, options);
    const written = await folder.write(files);
    for (const problem of problems) stderr.write(`${toPrintable(problem)}\n`);
    if (own.quiet !== true) stdout.write(written.map((file) => `${toPrintable(file)}\n`).join(""));
    return ExitCode.pass;
  },
};
