import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { DEFAULTS } from "../../config/defaults.js";
import { settingsOf } from "../../config/settings.js";
import { ExitCode, type Command } from "../io.js";
import { toPrintable } from "../terminal.js";

/** `lbbench import`. */
export const importCommand: Command = {
  name: "import",
  summary: "judge and report the saved output of other load generators",
  about:
    "Makes a result of the saved output of ab, wrk and hey, of autocannon -j and of k6's summary, judges it and writes a report. What the output does not tell stays missing.",
  arguments: [{ name: "<file...>", about: "files with the output of one or many runs; - reads the standard input" }],
  settings: settingsOf("import"),
  examples: ["import ab.txt", "import before.txt --target shop -o before --threshold 'p99<200ms'"],
  run: async ([files], flags, { openStdin, stdout, stderr, cwd, env }) => {
    const api = await import("../../index.js");
    const { readCount } = await import("../flags.js");
    const { describeOutcome, readRendering, refuseReport } = await import("../run.js");
    const { name = DEFAULTS.import.name, target, duration, threshold, connections, out, json, quiet } = flags;
    const { formats = DEFAULTS.formats, ...charts } = readRendering(flags);
    await refuseReport(flags, cwd);
    const sources = await Promise.all(
      [files ?? []]
        .flat()
        .map(async (file) => (file === "-" ? { name: "-", content: await buffer(openStdin()) } : file)),
    );
    const { result, notes } = await api.importOutput(sources, {
      name: String(name),
      folder: cwd,
      ...(target === undefined ? {} : { target: String(target) }),
      ...(duration === undefined ? {} : { duration: String(duration) }),
      ...(threshold === undefined ? {} : { thresholds: [threshold].flat().map(String) }),
      ...(connections === undefined ? {} : { connections: readCount(String(connections), "-c, --connections", 1) }),
    });
    const { files: rendered, problems } = await api.renderReport(result, [...new Set(["json", ...formats])], {
      ...charts,
      folder: cwd,
    });
    const path = out === undefined ? api.defaultReportFolder(String(name)) : String(out);
    const folder = await api.openReportFolder(resolve(cwd, path));
    const written = await folder.write(rendered);
    for (const line of [...notes, ...problems]) stderr.write(`${toPrintable(line)}\n`);
    if (json === true) stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    const output = json === true ? stderr : stdout;
    if (quiet !== true) output.write(describeOutcome(result, written, folder.path, output, env));
    return ExitCode[result.verdict.status];
  },
};
