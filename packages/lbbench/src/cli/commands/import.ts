import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { DEFAULTS } from "../../config/defaults.js";
import { nameFlag, settingsOf } from "../../config/settings.js";
import type { ImportOptions } from "../../index.js";
import { ExitCode, type Command } from "../io.js";
import type { Shown } from "../run.js";
import { defined } from "../../stats/defined.js";

interface OwnFlags extends Shown, Pick<ImportOptions, "target" | "connections" | "duration"> {
  readonly force?: boolean;
}

/** `lbbench import`. */
export const importCommand: Command = {
  name: "import",
  summary: "judge and report the saved output of other load generators",
  about:
    "Makes a result of the saved output of ab, wrk, hey, oha, autocannon and k6, judges it and writes a report. Output has to be as it was printed. What it does not tell stays missing.",
  arguments: [{ name: "<file...>", about: "files with the output of one or many runs; - reads the standard input" }],
  settings: settingsOf("import"),
  examples: ["import ab.txt", "import before.txt --target shop -o before --threshold 'p99<200ms'"],
  execute: async ({ words: [files = []], read, ...io }) => {
    const api = await import("../../index.js");
    const { printOutcome, refuseReport } = await import("../run.js");
    const { input, own } = await read<OwnFlags>();
    const {
      name = DEFAULTS.import.name,
      formats = DEFAULTS.formats,
      out,
      charts,
    } = api.parseSweepInput(input, nameFlag);
    const { thresholds } = input as Pick<ImportOptions, "thresholds">;
    const { json, quiet, verbose, force, ...told } = own;
    const { cwd } = io;
    refuseReport(out, force, cwd);
    const sources = await Promise.all(
      [files]
        .flat()
        .map(async (file) => (file === "-" ? { name: "-", content: await readSome(io.openStdin()) } : file)),
    );
    const { result, notes } = await api.importOutput(sources, {
      name,
      folder: cwd,
      ...defined({ thresholds }),
      ...told,
    });
    const options = { folder: cwd, ...defined({ charts }) };
    const { files: rendered, problems } = await api.renderReport(result, [...new Set(["json", ...formats])], options);
    const folder = await api.openReportFolder(resolve(cwd, out ?? api.defaultReportFolder(name)));
    const written = await folder.write(rendered);
    const outcome = { result, files: written, folder: folder.path, problems: [...notes, ...problems] };
    printOutcome(outcome, defined({ json, quiet, verbose }), io);
    return ExitCode[result.verdict.status];
  },
};

/** Reads a stream to its end, or until it is clear that there is too much, which the import refuses. */
async function readSome(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk as string | Buffer);
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > DEFAULTS.import.mostBytes) break;
  }
  return Buffer.concat(chunks);
}
