import type { FaultResponse } from "../judge/fault-response.js";
import type { TimelineSecond } from "../model/measurement.js";
import { FAILURES } from "../model/outcomes.js";
import type { Result, StepResult } from "../model/result.js";
import type { ReportFile } from "../plugin.js";
import { formatFault } from "../stats/faults.js";
import { loadOf } from "../stats/load.js";
import { type ToldFault, toldFaults } from "./faults.js";
import { cleanNames, cleanText } from "./plain-line.js";
import { knownDigits, knownMs, STEP_FIGURES, type FigureValue } from "./figures.js";

/** Returns `steps.csv`, `seconds.csv`, and, where there are faults, `faults.csv`; docs/formats.md has the columns. */
export async function renderCsv({ scenario, steps: measured }: Result): Promise<readonly ReportFile[]> {
  // Rows of one target are told from those of another by its name alone.
  const names = cleanNames(measured.map(({ target }) => target));
  const steps = measured.map((step) => ({ ...step, target: names.get(step.target) ?? step.target }));
  const seconds = steps.flatMap((step) => (step.measurement?.timeline ?? []).map((second) => ({ step, second })));
  const faults = steps.flatMap((step) => toldFaults(step).map((fault) => ({ step, ...fault })));
  return [
    { name: "steps.csv", content: await writeCsv(STEP_COLUMNS, steps) },
    { name: "seconds.csv", content: await writeCsv(SECOND_COLUMNS, seconds) },
    ...(scenario.faults === undefined ? [] : [{ name: "faults.csv", content: await writeCsv(FAULT_COLUMNS, faults) }]),
  ];
}

type Column<Row> = readonly [name: string, of: (row: Row) => FigureValue];

/** Which step a row is about: the same columns in both files, to join them by. */
const PLACE: readonly Column<StepResult>[] = [
  ["target", ({ target }) => target],
  ["load", ({ level }) => loadOf(level).kind],
  ["level", ({ level }) => loadOf(level).value],
  ["planned_requests", ({ level }) => level.requests],
  ["planned_duration_ms", ({ level }) => level.durationMs],
  ["trial", ({ trial }) => trial],
];

const STEP_COLUMNS: readonly Column<StepResult>[] = [
  ...PLACE,
  ...STEP_FIGURES.map(({ key, of }) => known<StepResult>(key, of)),
];

/** The same columns for parts of steps. */
const PART: readonly Column<{ readonly step: StepResult }>[] = PLACE.map(([name, of]) => [name, (row) => of(row.step)]);

interface StepSecond {
  readonly step: StepResult;
  readonly second: TimelineSecond;
}

const ofSecond = (name: string, of: (second: TimelineSecond) => FigureValue): Column<StepSecond> =>
  known(name, ({ second }) => of(second));

const SECOND_COLUMNS: readonly Column<StepSecond>[] = [
  ...PART,
  ...(["second", "sent", "ok", "failed"] as const).map((key) => ofSecond(key, (second) => second[key])),
  // Only the ways that occurred are listed; without a list nothing is known of them, unless nothing failed.
  ...FAILURES.map(({ key, column }) =>
    ofSecond(column, ({ failures, failed }) => (failures === undefined && failed > 0 ? null : (failures?.[key] ?? 0))),
  ),
  ...(["p50", "p90", "p99", "max"] as const).map((key) => ofSecond(`latency_${key}_ms`, (second) => second[key])),
  ofSecond("users", ({ users }) => users),
];

interface StepFault extends ToldFault {
  readonly step: StepResult;
}

/** Empty for faults that heal, and for undone faults. */
const ofResponse = (name: string, of: (response: FaultResponse) => FigureValue): Column<StepFault> =>
  known(name, ({ response }) => response && of(response));

const FAULT_COLUMNS: readonly Column<StepFault>[] = [
  ...PART,
  ["fault", ({ asked }) => formatFault(asked)],
  ["kind", ({ asked }) => asked.kind],
  ["part", ({ asked }) => asked.part],
  known("at_ms", ({ asked }) => asked.atMs),
  known("effect_ms", ({ done }) => done?.effectMs),
  ["error_message", ({ done }) => done?.error],
  ofResponse("looked_ms", ({ lookedMs }) => lookedMs),
  ofResponse("lost", ({ lost }) => lost),
  ...FAILURES.map(({ key, column }) => ofResponse(column, ({ failures }) => failures[key] ?? 0)),
  ofResponse("slow", ({ slow }) => slow),
  ofResponse("recovered", ({ recoveryMs }) => (recoveryMs === undefined ? undefined : recoveryMs === null ? 0 : 1)),
  ofResponse("recovery_ms", ({ recoveryMs }) => recoveryMs),
  ofResponse("first_lost_ms", ({ firstLostMs }) => firstLostMs),
  ofResponse("last_lost_ms", ({ lastLostMs }) => lastLostMs),
  ofResponse("latency_p99_before_ms", ({ p99BeforeMs }) => p99BeforeMs),
  ofResponse("latency_p99_ms", ({ p99Ms }) => p99Ms),
  ofResponse("share_during", ({ shareDuring }) => shareDuring),
  ofResponse("share_back_ms", ({ shareBackMs }) => shareBackMs),
];

/** A column whose figures have the digits that are known: times to the microsecond, others six significant ones. */
function known<Row>(name: string, of: (row: Row) => FigureValue): Column<Row> {
  const round = name.endsWith("_ms") ? knownMs : knownDigits;
  return [
    name,
    (row) => {
      const value = of(row);
      return typeof value === "number" ? round(value) : value;
    },
  ];
}

/** Rows as CSV by RFC 4180, with CRLF. Numbers have a point, and negative ones stay numbers; texts are single lines and no formulas. */
async function writeCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Promise<string> {
  const { stringify } = await import("csv-stringify/sync");
  const cells = rows.map((row) =>
    columns.map(([, of]) => {
      const value = of(row);
      if (typeof value !== "string") return value;
      const text = cleanText(value);
      // What a spreadsheet would calculate gets an apostrophe before it.
      return FORMULA.test(text) ? `'${text}` : text;
    }),
  );
  return stringify([columns.map(([name]) => name), ...cells], { record_delimiter: "\r\n" });
}

/** What a spreadsheet takes for a formula, also in full width. The apostrophes are there so that each text has a form of its own. */
const FORMULA = /^'*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
