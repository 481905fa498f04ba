import type { Result } from "../../model/result.js";
import type { ToldScenario } from "../../model/scenario.js";
import type { SearchOutcome } from "../../model/search.js";
import { collectMatrix, type MatrixTarget } from "../charts/matrix-charts.js";
import { type Cell, cellsByTarget, type TargetRamp } from "../cells.js";
import { describeLoad } from "../describe-level.js";
import { describeStepError } from "../describe-run.js";
import { isLong, messageLine } from "../plain-line.js";
import type { ReportModel, Section } from "../report-model.js";
import { groupBy } from "../../stats/group-by.js";
import { type Block, heading, list, paragraph } from "./block.js";
import {
  failureTable,
  latencyTable,
  mixTable,
  phaseTable,
  resourceTable,
  scheduleTable,
  statusTable,
  trialsTable,
} from "./level-tables.js";
import { limitTable } from "./limit-table.js";
import { matrixTables } from "./matrix-tables.js";
import { rampTable, rampTimeline } from "./ramp-tables.js";

/** The figures of every target: requests and latency, failures, spread over the trials, transfer and processes. */
export const targetTables: Section = (model) => ({ id: "results", title: "Results", blocks: tabulate(model) });

function tabulate({ result, cells: all, ramps }: ReportModel): readonly Block[] {
  const targets = [...cellsByTarget(all)];
  if (targets.length === 0) return [paragraph("No step was executed.")];
  const matrix = new Map(collectMatrix(result).map((target) => [target.name, target]));
  const tables =
    ramps.length === 0
      ? [
          ...limitTable(result, all),
          ...targets.flatMap(([name, cells]) => tabulateTarget(name, cells, result, matrix.get(name))),
        ]
      : [...rampTable(ramps), ...ramps.flatMap(tabulateRamp)];
  return [...tables, ...quoteMessages(all)];
}

/** What stands between the figures of the load and those of the processes, whatever the load is. */
const DETAILS = [phaseTable, listErrors, failureTable, statusTable, mixTable, trialsTable] as const;

function tabulateRamp(ramp: TargetRamp): readonly Block[] {
  const cells = [ramp.cell];
  const resources = resourceTable(cells);
  return [
    heading(ramp.cell.target),
    ...rampTimeline(ramp),
    ...DETAILS.flatMap((table) => table(cells)),
    ...resources,
    ...(resources.length === 0
      ? []
      : [paragraph("These are averages over the whole ramp: what was busy only towards its end shows as less.")]),
  ];
}

function tabulateTarget(
  name: string,
  cells: readonly Cell[],
  { search, scenario }: Result,
  matrix: MatrixTarget | undefined,
): readonly Block[] {
  const outcome = search?.find(({ target }) => target === name);
  const tables = tabulateLevels(cells, outcome, scenario);
  if (matrix === undefined) return [heading(name), ...tables];
  return [
    heading(name),
    ...matrixTables(matrix),
    { kind: "folded", summary: `All figures of ${name}, level by level`, blocks: tables },
  ];
}

function tabulateLevels(
  cells: readonly Cell[],
  outcome: SearchOutcome | undefined,
  scenario: ToldScenario,
): readonly Block[] {
  return [
    ...latencyTable(cells, outcome, scenario),
    ...scheduleTable(cells),
    ...DETAILS.flatMap((table) => table(cells)),
    ...resourceTable(cells),
  ];
}

/** Messages of which the tables have but a line, each once. */
function quoteMessages(cells: readonly Cell[]): readonly Block[] {
  const errors = cells.flatMap(({ target, level, steps }) =>
    steps.flatMap(({ error }) =>
      error !== undefined && isLong(error.message)
        ? [{ place: `${target} at ${describeLoad(level)}`, message: error.message }]
        : [],
    ),
  );
  if (errors.length === 0) return [];
  return [
    heading("Messages in full"),
    ...[...groupBy(errors, ({ message }) => message)].flatMap(([message, those]): readonly Block[] => [
      paragraph(`${[...new Set(those.map(({ place }) => place))].join(", ")}:`),
      { kind: "code", language: "text", text: message },
    ]),
  ];
}

function listErrors(cells: readonly Cell[]): readonly Block[] {
  const lines = cells.flatMap(({ level, steps }) =>
    steps
      .filter(({ state }) => state !== "completed")
      .map((step) => {
        const trial = steps.length > 1 ? `, trial ${step.trial}` : "";
        return `${describeLoad(level)}${trial}: ${messageLine(describeStepError(step))}`;
      }),
  );
  return list(lines);
}
