import { parseHeyOutput } from "../engines/programs/hey.js";
import type { ProgramFigures } from "../engines/programs/printed.js";
import { ImportError, placeOf, textInPlace, type Block, type ImportedRun, type NotInOutput } from "./imported-run.js";
import { readCommand } from "./read-command.js";
import { countOf } from "../stats/count-of.js";

/** Reads a block of hey, which does not say what it asked, nor over how many connections: its command does, or whoever imports it. */
export function readHey(block: Block, file: string, told: NotInOutput): ImportedRun {
  const figures = parseHeyOutput(textInPlace(block));
  checkCounts(figures, block, file);
  const command = readCommand("hey", block.before);
  const connections = command.connections ?? told.connections;
  if (connections === undefined) {
    throw new ImportError(
      `${placeOf(file, block)}: hey does not tell how many connections it had: say so with --connections N, or put its command in the line ` +
        'before ("$ hey -n 1000 -c 50 http://...")',
    );
  }
  const isAmountTold = command.durationMs !== undefined || command.requests !== undefined;
  const durationMs = isAmountTold ? command.durationMs : told.durationMs;
  return {
    program: "hey",
    version: null,
    ...(command.url === undefined ? {} : { url: command.url }),
    connections,
    amount: durationMs === undefined ? { requests: figures.requests.sent } : { durationMs },
    ...(durationMs === undefined && !isAmountTold ? { isAmountCounted: true as const } : {}),
    keepAlive: null,
    figures,
    doubts: [],
    output: block.lines.join("\n"),
  };
}

const SECOND_MS = 1000;

/** All that came to an end are in the rate, and all answers in the histogram: where some are missing below, the block is cut. */
function checkCounts({ statusCodes, requests: { sent } }: ProgramFigures, block: Block, file: string): void {
  const answers = Object.values(statusCodes).reduce((sum, count) => sum + count, 0);
  const inHistogram = block.lines.reduce(
    (sum, line) => sum + Number(/^ {2}\d+\.\d{3} \[(\d+)\]\t\|/.exec(line)?.[1] ?? 0),
    0,
  );
  if (inHistogram > 0 && inHistogram !== Math.min(answers, 1_000_000)) {
    throw new ImportError(
      `${file}:${block.last}: it is cut or damaged: expected statuses of ${countOf(inHistogram, "answer")}, as many as its histogram has, got ${answers}`,
    );
  }
  const [seconds, rate] = ["Total", "Requests/sec"].map((name) =>
    Number(new RegExp(`^  ${name}:\\t *(\\d+\\.\\d{4})`, "m").exec(block.lines.join("\n"))?.[1] ?? 0),
  );
  const results = (seconds ?? 0) * (rate ?? 0);
  const uncertain = results * (0.00005 / (seconds || 1) + 0.00005 / (rate || 1));
  if (results > 0 && Math.abs(results - sent) > uncertain + 0.01) {
    throw new ImportError(
      `${file}:${block.last}: it is cut or damaged: expected what became of about ${Math.round(results)} requests, as its rate over ${(seconds ?? 0) * SECOND_MS} ms says, got ${sent}`,
    );
  }
}
