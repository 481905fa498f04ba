import { wrapWords } from "../report/text-layout.js";
import type { Check, Diagnosis } from "./diagnosis.js";
import { countOf } from "../stats/format-number.js";

/** Turns a status into what is printed of it, which may be coloured; the same number of columns wide. */
export type Paint = (text: string, status: Check["status"]) => string;

const STATUS_WIDTH = 9;
const TITLE_WIDTH = 15;
/** The longest command just fits. */
const NARROWEST = 66;
const WIDEST = 100;

/**
 * Renders a diagnosis for people: a line for each check, longer ones wrapped, remedies below what they are for, and a
 * sentence at the end.
 *
 * @param columns of the terminal; 80 by default, kept between 66 and 100.
 */
export function renderDiagnosis({ checks }: Diagnosis, columns = 80, paint: Paint = (text) => text): string {
  const width = Math.min(WIDEST, Math.max(NARROWEST, columns)) - STATUS_WIDTH - TITLE_WIDTH;
  const lines = checks.flatMap(({ status, title, found, remedy }) => {
    const [first = "", ...more] = wrapWords(found, width);
    const head = `${paint(status.padEnd(STATUS_WIDTH), status)}${title.padEnd(TITLE_WIDTH)}${first}`;
    const [advice = "", ...commands] = (remedy ?? "").split("\n");
    const hints = wrapWords(advice, width - 2).map((line, at) => `${at === 0 ? "→" : " "} ${line}`);
    return [
      head,
      ...[...more, ...(advice === "" ? [] : hints)].map((line) => " ".repeat(STATUS_WIDTH + TITLE_WIDTH) + line),
      // As they are, to be copied.
      ...commands.map((line) => " ".repeat(STATUS_WIDTH) + line),
    ];
  });
  return `${[...lines.map((line) => line.trimEnd()), "", summarize(checks)].join("\n")}\n`;
}

function summarize(checks: readonly Check[]): string {
  const count = (status: Check["status"]): number => checks.filter((check) => check.status === status).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems + warnings === 0) return "Nothing was found that keeps this machine from measuring.";
  const parts = [
    ...(problems === 0 ? [] : [countOf(problems, "problem")]),
    ...(warnings === 0 ? [] : [countOf(warnings, "warning")]),
  ];
  const ending =
    problems > 0 ? "solve the problems before you measure" : "lbbench can measure here, within these bounds";
  return `${parts.join(", ")}: ${ending}.`;
}
