import { dirname, resolve } from "node:path";
import { settingsOf } from "../../config/settings.js";
import { ExitCode, type Command } from "../io.js";

/** `lbbench report`. */
export const reportCommand: Command = {
  name: "report",
  summary: "render a result again",
  about: "Renders a result.json again, or in other formats.",
  arguments: [{ name: "<result>", about: "a result.json, or the folder it is in" }],
  settings: settingsOf("report"),
  examples: ["report reports/sweep-20261121-140312-057 -f html,csv", "report before -o wiki -f md --charts mermaid"],
  run: async ([given], { out, quiet, ...flags }, { stdout, stderr, cwd }) => {
    const { DEFAULTS, openReportFolder, readResult, renderReport } = await import("../../index.js");
    const { readRendering } = await import("../run.js");
    const { path, result } = await readResult(resolve(cwd, String(given)));
    const { formats = DEFAULTS.formats, ...charts } = readRendering(flags);
    const folder = await openReportFolder(out === undefined ? dirname(path) : resolve(cwd, String(out)));
    const options = { ...charts, present: await folder.list(), folder: cwd };
    const { files, problems } = await renderReport(result, formats, options);
    const written = await folder.write(files);
    for (const problem of problems) stderr.write(`${problem}\n`);
    if (quiet !== true) stdout.write(written.map((file) => `${file}\n`).join(""));
    return ExitCode.pass;
  },
};
