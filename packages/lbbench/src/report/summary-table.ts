import { CONCLUSIONS } from "../judge/findings.js";
import type { Finding, Verdict } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { countOf } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { type Cell, countFailed, describeBottleneck, describeStatuses } from "./cells.js";
import { describeAmount, distinctAmounts, loadWords } from "./describe-level.js";
import { type Column, createTable, loadColumn, rightColumn, wordColumn } from "./document/block.js";
import { DECISION_WORDS, decisionOf } from "./describe-search.js";
import { describeState } from "./describe-run.js";
import { describeDoubts } from "./doubtful-figures.js";
import { describeFinding, describeFindings } from "./finding-text.js";
import { createReportModel } from "./report-model.js";
import { faultFigures, hasSeveralLoads } from "./faults.js";
import { shownFigure } from "./figures.js";
import { describeHeadline } from "./headline.js";
import { plainLine } from "./plain-line.js";
import { terminalColumn, terminalColumns } from "./figure-columns.js";
import { renderLines, WIDEST, wrapLine } from "./terminal.js";
import { cutToWidth, shortenToWidth, textWidth } from "./text-layout.js";
import { renderTrends } from "./trends.js";

/** Of a name; where there is not even this, figures are left out, and where nothing more can be, the name is cut further. */
const SHORTEST_TARGET = 14;
/** Of a fault: `errors backend-2 50% at 3s`. */
const SHORTEST_FAULT = 26;
const LONGEST_NOTE = 22;

/** Turns the word for a verdict into what is printed of it, which may be coloured; the same number of columns wide. */
export type PaintVerdict = (text: string, status: Verdict["status"]) => string;

/** How a summary is printed. */
interface SummaryOptions {
  /** Whether all that was noticed is told in full, and not in a line each. */
  readonly verbose?: boolean;
  readonly paint?: PaintVerdict;
}

/**
 * Returns a result as plain text for a terminal; nothing from outside becomes an escape sequence. What the run shows comes first, then the
 * tables, then what was noticed beside. Ends with a line break.
 *
 * @param columns width of the terminal; all lines keep to it, from 20 on, and to at most 99 columns, the default.
 */
export function renderSummary(
  whole: Result,
  columns: number = WIDEST,
  { verbose = false, paint = (text) => text }: SummaryOptions = {},
): string {
  const model = createReportModel(whole);
  const { result, cells, faults, balancers } = model;
  const width = Math.min(columns, WIDEST);
  const wrap = (line: string): readonly string[] => wrapLine(line, width);
  const tabulate = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): readonly string[] =>
    rows.length === 0 ? [] : renderLines(createTable({ caption: "" }, columns, rows), width);
  const { status } = result.verdict;
  const { verdict, lines, next, more } = describeHeadline(model);
  const noticed = noticedIn(result);
  const hint = verbose || noticed.length === 0 ? "" : "--verbose tells all.";
  const [first = "", ...others] = wrap([`Verdict: ${status}.`, verdict, hint].filter((text) => text !== "").join(" "));
  const blocks = [
    [
      first.replace(status, (word) => paint(word, status)),
      ...others,
      ...[...lines, ...(next === "" ? [] : [`Next: ${next}`])].flatMap(wrap),
    ],
    result.scenario.hold === undefined ? [] : tabulate(cells, heldColumns(cells)),
    cells.length === 0
      ? ["No step was executed."]
      : [...tabulate(cells, columnsOf(cells, result)), ...describeDoubts(cells).flatMap(wrap)],
    tabulate(balancers.rows, [
      { ...wordColumn("balancer", ({ target }) => target.name), shortest: SHORTEST_TARGET },
      ...terminalColumns(balancers.figures),
    ]),
    tabulate(faults, [
      { ...wordColumn("fault", ({ fault }) => fault), shortest: SHORTEST_FAULT },
      wordColumn("target", ({ target }) => shortenToWidth(plainLine(target), LONGEST_NOTE)),
      ...(hasSeveralLoads(faults) ? [loadsOf(faults)] : []),
      ...terminalColumns(faultFigures(faults)),
    ]),
    // Of levels the table shows the course.
    verbose || result.scenario.ramp !== null
      ? renderTrends(model, width).flatMap((line, at) => (at === 0 ? wrapLine(line, width) : cutToWidth(line, width)))
      : [],
    verbose ? [...more, ...describeStatuses(cells)].flatMap(wrap) : [],
    verbose ? describeAll(noticed, result).flatMap(wrap) : describeNoticed(noticed, width),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

const noticedIn = ({ verdict }: Result): readonly Finding[] =>
  verdict.findings.filter(({ code }) => !CONCLUSIONS.has(code));

/** All that was noticed, in full. */
function describeAll(noticed: readonly Finding[], result: Result): readonly string[] {
  return describeFindings(noticed, result.scenario.targets.length).flatMap(({ severity, code, texts }) =>
    texts.map((text) => `${severity} ${code}: ${text}`),
  );
}

/** What was noticed, a line for each code: what it means, and of which targets. */
function describeNoticed(noticed: readonly Finding[], width: number): readonly string[] {
  const kinds = [...groupBy(noticed, ({ severity, code }) => `${severity} ${code}`)];
  return kinds.map(([name, those]) => {
    const [first] = those;
    const targets = [...new Set(those.flatMap(({ args }) => args["target"] ?? []))].map(String);
    const said = `${name}: ${first === undefined ? "" : describeFinding(first).title}`;
    const named = targets.length === 0 ? said : `${said} (${targets.join(", ")})`;
    const counted = targets.length < 2 ? said : `${said} (${countOf(targets.length, "target")})`;
    return cutToWidth(plainLine(textWidth(named) <= width ? named : counted), width);
  });
}

function loadsOf<Row extends Pick<Cell, "level">>(rows: readonly Row[]): Column<Row> {
  return loadColumn(loadWords(rows.map(({ level }) => level)).short);
}

/** Failures are the last that may be left out, where there are any. */
function columnsOf(cells: readonly Cell[], result: Result): readonly Column<Cell>[] {
  const hasFailures = cells.some((cell) => countFailed(cell) > 0);
  const isOfPolicies = result.scenario.policies !== undefined;
  const figure = (key: string, weight?: number): Column<Cell> => terminalColumn(cells, key, weight);
  // A step that was not finished has no bottleneck to speak of.
  const note = (cell: Cell): string => describeState(cell) || describeBottleneck(cell) || "-";
  const hasAmounts = distinctAmounts(cells.map(({ level }) => level)).length > 1;
  const amount = rightColumn<Cell>("load", ({ level }) => describeAmount(level));
  const held = wordColumn<Cell>("held?", (cell) => DECISION_WORDS[decisionOf(result, cell) ?? "undecided"]);
  return [
    { ...wordColumn("target", ({ target }) => target), shortest: SHORTEST_TARGET },
    loadsOf(cells),
    ...(hasAmounts ? [{ ...amount, weight: 8 }] : []),
    ...(result.search === undefined ? [] : [{ ...held, weight: 8 }]),
    figure(isOfPolicies ? "within_share" : "throughput_per_s"),
    figure("latency_p50_ms", 5),
    figure("latency_p90_ms", 4.5),
    figure("latency_p99_ms", 6),
    ...(isOfPolicies ? [figure("latency_p999_ms", 5.5)] : []),
    figure("latency_max_ms", 3),
    figure("failed", hasFailures ? 9 : 4),
    { ...wordColumn("bottleneck", (cell) => shortenToWidth(note(cell), LONGEST_NOTE)), weight: 2 },
  ];
}

const HELD = [
  ["held_opened", 7],
  ["held_at_end", 9],
  ["held_lost", 8],
  ["balancer_connection_bytes", 6],
  ["backend_connection_bytes", 5],
  ["burst_latency_p50_ms", 3],
  ["burst_latency_p99_ms", 4],
  ["burst_failed", 3.5],
] as const satisfies readonly (readonly [key: string, weight: number])[];

/** What of connections that were held is known, what tells most last to be left out. */
function heldColumns(cells: readonly Cell[]): readonly Column<Cell>[] {
  const known = HELD.filter(([key]) => cells.some((cell) => shownFigure(key).of(cell) !== null));
  return [
    { ...wordColumn("held", ({ target }) => target), shortest: SHORTEST_TARGET },
    loadsOf(cells),
    ...known.map(([key, weight]) => terminalColumn(cells, key, weight)),
  ];
}
