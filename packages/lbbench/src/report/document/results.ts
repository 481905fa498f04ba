/** The figures of every target: what they come to at each level, and what stands behind that. */
import { OUTCOMES } from "../../model/outcomes.js";
import type { Result, StepResult } from "../../model/result.js";
import type { WorkerShare } from "../../model/usage.js";
import { findOutliers } from "../../stats/spread.js";
import { median, sum, sumOf } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import { balancerTable } from "../balancers.js";
import {
  type Cell,
  cellsByTarget,
  countFailed,
  CPU_OF_SHORT_STEPS,
  describeBottleneck,
  hasOtherStatuses,
  isTooShort,
  processesOf,
  ROLES,
  statusCounts,
  totalOf,
} from "../cells.js";
import { collectMatrix, MATRIX_FIGURES, type MatrixTarget, requestsOf } from "../charts/line-charts.js";
import { describeAmount, describeLoad, distinctAmounts, loadWords } from "../describe-level.js";
import { describeState, describeStepError } from "../describe-run.js";
import { DECISION_WORDS, decisionOf } from "../describe-search.js";
import { describeDoubts } from "../doubtful-figures.js";
import { drawnFigures, shownFigure } from "../figures.js";
import { countOf, formatCount, formatPercent, formatTime } from "../../stats/format-number.js";
import { isLong, joinWords, messageLine, shortenName } from "../plain-line.js";
import type { ReportModel } from "../report-model.js";
import { BRACKETS, knownColumns } from "../figure-columns.js";
import {
  type Block,
  codes,
  type Column,
  createTable,
  heading,
  type Kind,
  list,
  NO_FIGURE,
  loadColumn,
  numberColumn,
  paragraph,
  rightColumn,
  wordColumn,
} from "./block.js";
import { limitTable } from "./limit-table.js";
import { rampTimeline } from "./ramp-timeline.js";
import { defined } from "../../stats/defined.js";

/** The figures of all targets, level by level; of a matrix, a search and a ramp what these are about comes first. */
export function results({ result, cells, ramps, balancers }: ReportModel): readonly Block[] {
  if (cells.length === 0) return [paragraph("No step was executed.")];
  return [
    ...(result.scenario.hold === undefined ? [] : heldTables(cells)),
    ...limitTable(result, cells),
    ...balancerTable(balancers),
    ...collectMatrix(result).flatMap(matrixTables),
    ...levelTable(cells, result),
    ...openingTable(cells, result),
    ...figureTable(cellsWith(cells, "events"), EVENTS),
    ...figureTable(cells, SCHEDULE),
    ...figureTable(cells, PHASES),
    ...timingTable(cells),
    ...describeErrors(cells),
    ...ramps.flatMap(rampTimeline),
    ...endingTable(cells),
    ...mixTable(cells),
    ...workerTable(cells),
    ...resourceTable(cells),
    ...describeSight(cells),
    ...quoteMessages(cells),
  ];
}

type Row = Pick<Cell, "target" | "level">;

/** What was held, and the memory of a connection; what a burst beside it saw; and where the connections came from. */
function heldTables(cells: readonly Cell[]): readonly Block[] {
  const lost = occurring(cells, ["held_lost_closed", "held_lost_reset", "held_lost_given_up"]);
  const memory = ["balancer_connection_bytes", "backend_connection_bytes"];
  const all = cells.flatMap(({ measurements }) => measurements.flatMap(({ hold }) => hold?.sources ?? []));
  const sources = joinWords([...new Set(all)]);
  const why = "One local address has too few ports for so many connections.";
  return [
    ...figureTable(cells, {
      caption: "Connections held",
      lead: "Connections that were held, each with a request now and then:",
      keys: ["held_opened", "held_at_end", "held_lost", ...lost, ...memory, "held_failed"],
    }),
    ...figureTable(cells, {
      caption: "Burst",
      lead: "What connections saw that were busy for a while beside those that were held:",
      keys: ["burst_throughput_per_s", "burst_latency_p50_ms", "burst_latency_p99_ms", "burst_failed"],
    }),
    ...(all.length === 0 ? [] : [paragraph(`${why} They came from ${sources} in turn.`)]),
  ];
}

const LONGEST_NAME = 60;

const AMOUNT = rightColumn<Row>("Load", ({ level }) => {
  return { text: describeAmount(level), value: level.requests ?? level.durationMs };
});

/** The columns that name a row: its target, where there are several, its load, and how much that asks for where this differs. */
function placeColumns(all: readonly Row[]): readonly Column<Row>[] {
  const levels = all.map(({ level }) => level);
  const hasTargets = new Set(all.map((row) => row.target)).size > 1;
  return [
    ...(hasTargets ? [wordColumn<Row>("Target", (row) => shortenName(row.target, LONGEST_NAME))] : []),
    loadColumn(loadWords(levels).column),
    ...(distinctAmounts(levels).length > 1 ? [AMOUNT] : []),
  ];
}

const FIGURES = ["throughput_per_s", "latency_p50_ms", "latency_p90_ms", "latency_p99_ms", "latency_max_ms"] as const;
/** Those that say how far several trials spread. */
const SPREAD: readonly string[] = ["throughput_per_s", "latency_p50_ms", "latency_p99_ms"];
const CPU = ROLES.map(({ role }) => `${role}_cpu_cores`);

/** What each target comes to at each level, what a narrow screen has no room for last. */
function levelTable(cells: readonly Cell[], result: Result): readonly Block[] {
  const isRamp = result.scenario.ramp !== null;
  const keys = isRamp ? ["finished", ...FIGURES, "latency_mean_ms", "failed_share"] : [...FIGURES, "failed"];
  const describeDecision = (cell: Cell): string => {
    const decision = decisionOf(result, cell);
    return decision === undefined ? "" : DECISION_WORDS[decision];
  };
  const columns: readonly Column<Cell>[] = [
    ...placeColumns(cells),
    ...noteColumn(cells, "Held?", describeDecision, "whether every threshold held"),
    ...knownColumns(cells, keys, SPREAD),
    ...noteColumn(cells, "State", describeState),
    ...noteColumn(cells, "Bottleneck", describeBottleneck, BOTTLENECK),
    ...knownColumns(cells, CPU),
  ];
  const isShort = cells.some(({ usages }) => usages.some(isTooShort));
  const caption = "Requests, latency and processes";
  return [
    createTable({ caption }, columns, cells),
    ...describeDoubts(cells).map(paragraph),
    ...describeSpread(cells),
    ...(isRamp ? [paragraph("Figures are of the whole ramp, its quiet beginning and its busy end together.")] : []),
    ...(isShort ? [paragraph(CPU_OF_SHORT_STEPS)] : []),
  ];
}

const BOTTLENECK = "the part that was busy to its limit, in most of the trials; none: all were seen, and none was";

/** A column of words that only some cells have; nothing where none has. */
function noteColumn(
  cells: readonly Cell[],
  head: string,
  text: (cell: Cell) => string,
  title?: string,
): readonly Column<Cell>[] {
  const isTold = cells.some((cell) => text(cell) !== "");
  return isTold ? [wordColumn(head, (cell) => text(cell) || NO_FIGURE, title)] : [];
}

const COUNTS = "Counts are of all trials together.";
const FENCES =
  "† An outlier is among these trials. It lies beyond the quartiles by more than three times their distance (Tukey's outer fences). The median contains it.";

/** Says what the brackets are, and which trials lie far from the others; nothing where no level has several trials. */
function describeSpread(cells: readonly Cell[]): readonly Block[] {
  if (cells.every(({ measurements }) => measurements.length < 2)) return [];
  const nameOf = cellNamer(cells);
  const outliers = SPREAD.map(shownFigure).flatMap(({ head, format, values, ofStep }) =>
    cells.flatMap((cell) => {
      const telling = cell.measured.filter((step) => ofStep(step) !== null);
      const far = findOutliers(values(cell)).flatMap((at) => telling[at] ?? []);
      const trials = far.map((step) => `${format(ofStep(step) ?? 0)} (trial ${step.trial})`);
      return far.length === 0 ? [] : [`${head}, ${nameOf(cell)}: ${trials.join(", ")}`];
    }),
  );
  return [
    paragraph(`${BRACKETS} ${COUNTS}`),
    ...(outliers.length === 0 ? [] : [paragraph(`${FENCES} ${outliers.join("; ")}.`)]),
  ];
}

/** Names cells: `single at 50 connections`, or of a single target the level alone. */
function cellNamer(all: readonly Row[]): (cell: Row) => string {
  const isSingle = all.every(({ target }) => target === all[0]?.target);
  return ({ target, level }) => (isSingle ? describeLoad(level) : `${target} at ${describeLoad(level)}`);
}

interface FigureTable {
  readonly caption: string;
  readonly lead?: string;
  readonly keys: readonly string[];
  /** Before them, if they make a table. */
  readonly before?: readonly string[];
}

/** Nothing where no cell tells any of the figures. */
function figureTable(
  cells: readonly Cell[],
  { caption, lead, keys, before = [] }: FigureTable,
): readonly Kind<"table">[] {
  const columns = knownColumns(cells, keys);
  if (columns.length === 0) return [];
  const all = [...placeColumns(cells), ...knownColumns(cells, before), ...columns];
  return [createTable({ caption, lead }, all, cells)];
}

/** The cells that were measured in a part that not every run has. */
function cellsWith(cells: readonly Cell[], part: "events" | "opening" | "serverTiming"): readonly Cell[] {
  return cells.filter(({ measurements }) => measurements.some(({ [part]: told }) => told !== undefined));
}

/** Those of some counts that are more than 0 anywhere. */
function occurring(cells: readonly Cell[], keys: readonly string[]): readonly string[] {
  return keys.filter((key) => cells.some((cell) => (shownFigure(key).of(cell) ?? 0) > 0));
}

/** The keys of some statistics of some times: `tcp_p50_ms`. */
function timesOf(parts: readonly string[], statistics: readonly string[]): readonly string[] {
  return parts.flatMap((part) => statistics.map((statistic) => `${part}_${statistic}_ms`));
}

const EVENTS: FigureTable = {
  caption: "Server-sent events",
  lead: "Server-sent events: the first of each stream since its request was sent, others since the one before.",
  keys: ["events", ...timesOf(["first_event", "event_gap"], ["p50", "p99", "max"])],
};

const SCHEDULE: FigureTable = {
  caption: "Schedule",
  lead: "How requests kept to their schedule. Latency counts from when a request was due, not from when it left.",
  keys: ["scheduled_requests", "unsent_requests", "lateness_mean_ms", "lateness_p99_ms"],
  before: ["sent_per_s"],
};

const PHASES: FigureTable = {
  caption: "Where the time goes",
  lead: "Where the time goes: connecting; waiting for the first byte, a part of processing; processing to the last byte.",
  keys: timesOf(["connect", "waiting", "processing", "total"], ["mean", "max"]),
};

const TIMING: FigureTable = {
  caption: "Backend, and what is added",
  lead:
    "Each request, by what its answer says in Server-Timing: backend is the time that it tells, added all else from when the request left to the last byte. " +
    "Percentiles are of these parts of each request. They are not differences of percentiles.",
  keys: [
    ...timesOf(["timing_backend"], ["p50", "p99"]),
    ...timesOf(["timing_added"], ["p50", "p99", "p999"]),
    ...timesOf(["timing_queue", "timing_connect", "timing_generator"], ["p99"]),
  ],
};

const CONNECTIONS: FigureTable = {
  caption: "Connections of the backends",
  lead: "Connections of the backends as they count them, those of a server without backends its own:",
  keys: [
    "backend_connections_accepted",
    "requests_per_backend_connection",
    "backend_connections_open",
    "backend_connections_active",
  ],
};

/** How long connections took to open, where they are opened all the time; else nothing. */
function openingTable(cells: readonly Cell[], { scenario }: Result): readonly Block[] {
  const isOpening = scenario.keepAlive === false || scenario.requestsPerConnection !== undefined;
  const opened = isOpening ? cellsWith(cells, "opening") : [];
  const all = opened.flatMap(({ measurements }) =>
    measurements.flatMap(({ opening }) => Object.keys(opening?.tls?.agreed ?? {})),
  );
  const agreed = [...new Set(all)].toSorted().map((one) => one.replaceAll(", ", " with "));
  const tls = agreed.length === 0 ? "" : ", TLS from there to the end of the handshake";
  const failed = occurring(opened, ["connect_errors", "resets"]);
  return [
    ...figureTable(opened, {
      caption: "Opening connections",
      lead: `How long new connections took: TCP until it was connected${tls}. The first byte counts from when a request was written.`,
      keys: [
        ...timesOf(["tcp", "tls", "first_byte"], ["p50", "p99"]),
        "handshakes_full",
        "handshakes_resumed",
        ...failed,
      ],
      before: ["connections_per_s"],
    }),
    ...(agreed.length === 0 ? [] : [paragraph(`TLS was agreed on as ${joinWords(agreed)}.`)]),
  ];
}

/** What answers say of the time of backend and balancer; nothing where that was not asked for. */
function timingTable(cells: readonly Cell[]): readonly Block[] {
  const asked = cellsWith(cells, "serverTiming");
  const nameOf = cellNamer(cells);
  const gaps = asked.flatMap((cell) => {
    const of = (kind: string): number => shownFigure(`timing_${kind}`).of(cell) ?? 0;
    const [told, untold, malformed, negative] = [of("told"), of("untold"), of("malformed"), of("negative")];
    const said = [
      ...(untold > 0 ? [`${formatCount(untold)} without a time`] : []),
      ...(malformed > 0 ? [`${formatCount(malformed)} with a malformed Server-Timing`] : []),
      ...(negative > 0 ? [`${formatCount(negative)} with a longer time than was measured (0 added)`] : []),
    ];
    const all = countOf(told + untold + malformed, "answer");
    return said.length === 0 ? [] : [`${nameOf(cell)}: of ${all} ${joinWords(said)}`];
  });
  return [...figureTable(asked, TIMING), ...(gaps.length === 0 ? [] : [paragraph(`${gaps.join("; ")}.`)])];
}

/** What became of requests where any failed or had another status than 2xx; a sentence where all had the same status. */
function endingTable(cells: readonly Cell[]): readonly Block[] {
  const statuses = [...statusCounts(cells).keys()];
  const isOdd = (cell: Cell): boolean => countFailed(cell) > 0 || hasOtherStatuses([cell]);
  const telling = cells.filter(isOdd);
  if (telling.length === 0) return statuses.length === 1 ? [paragraph(`All answers had status ${statuses[0]}.`)] : [];
  const classes = OUTCOMES.filter(({ key }) => key !== "ok").map(({ column }) => column);
  const columns: readonly Column<Cell>[] = [
    ...placeColumns(cells),
    ...knownColumns(telling, ["sent", "failed_share", ...occurring(telling, classes)]),
    ...statuses.map((status) =>
      numberColumn<Cell>(status, (cell) => totalOf(cell, ({ statusCodes }) => statusCodes[status] ?? 0), formatCount),
    ),
  ];
  const lead = "How requests ended, where any failed: by class, and answers by status. All trials together.";
  return [createTable({ caption: "How requests ended", lead }, columns, telling)];
}

/** One entry of a mix at one level, with its share of what was measured, and the part of all requests that it is. */
interface MixRow extends Cell {
  readonly name: string;
  readonly part: number | null;
}

/** What became of each request of a mix; nothing without a mix. */
function mixTable(cells: readonly Cell[]): readonly Block[] {
  const rows = cells.flatMap((cell) => {
    const names = cell.measurements.flatMap(({ mix = [] }) => mix.map(({ name }) => name));
    const all = totalOf(cell, ({ requests }) => requests.sent);
    return [...new Set(names)].map((name): MixRow => {
      const measured = cell.measured.flatMap((step) => shareOfStep(step, name));
      const sent = sumOf(measured, ({ measurement }) => measurement?.requests.sent ?? 0);
      return { ...cell, name, measured, part: all === 0 ? null : sent / all };
    });
  });
  if (rows.length === 0) return [];
  const figures = (...keys: readonly string[]): readonly Column<MixRow>[] => knownColumns(rows, keys);
  const columns: readonly Column<MixRow>[] = [
    ...placeColumns(cells),
    wordColumn("Request", ({ name }) => name),
    ...figures("sent"),
    numberColumn("Share (%)", ({ part }) => part, formatPercent),
    ...figures("ok", "failed", "throughput_per_s", "latency_p50_ms", "latency_p99_ms"),
  ];
  return [createTable({ caption: "By request", lead: "By request:" }, columns, rows)];
}

interface WorkerRow extends Row {
  readonly name: string;
  readonly parts: readonly WorkerShare[];
}

type WorkerFigure = readonly [
  head: string,
  of: (part: WorkerShare) => number | undefined,
  format: (value: number) => string,
  /** Makes one of all trials. */
  together: (values: readonly number[]) => number,
  title?: string,
];

const WORKER_FIGURES: readonly WorkerFigure[] = [
  ["Share", ({ share }) => share, formatCount, median, "what it was to do of the load"],
  ["Sent", ({ sent }) => sent, formatCount, sum, "requests of all trials together"],
  ["CPU (%)", ({ cpu }) => cpu, formatPercent, median, "of its generator; 100 % is one core kept busy"],
  ["Event loop (%)", ({ eventLoopUtilization }) => eventLoopUtilization, formatPercent, median],
  ["Machine's CPU (%)", ({ machineCpu }) => machineCpu, formatPercent, median, "of all cores of its machine"],
  [
    "Started later (ms)",
    ({ startSkewMs }) => startSkewMs,
    formatTime,
    (values) => Math.max(...values),
    "how much later than of the first worker the news came that it had started; of several trials the longest",
  ],
];

/** What each worker did at each level, where workers generated the load. */
function workerTable(cells: readonly Cell[]): readonly Block[] {
  const rows = cells.flatMap(({ target, level, measured }) => {
    const parts = measured.flatMap(({ workers = [] }) => workers);
    const byName = [...groupBy(parts, ({ name }) => name)].toSorted(([a], [b]) =>
      a.localeCompare(b, "en", { numeric: true }),
    );
    return byName.map(([name, own]): WorkerRow => ({ target, level, name, parts: own }));
  });
  if (rows.length === 0) return [];
  const hosts = ({ parts }: WorkerRow): string => joinWords([...new Set(parts.map(({ host }) => host))]);
  const columns: readonly Column<WorkerRow>[] = [
    ...placeColumns(cells),
    wordColumn("Worker", ({ name }) => shortenName(name, LONGEST_NAME)),
    ...(rows.every((row) => hosts(row) === row.name)
      ? []
      : [wordColumn<WorkerRow>("Machine", (row) => shortenName(hosts(row), LONGEST_NAME))]),
    ...WORKER_FIGURES.map(([head, of, format, together, title]) => {
      const value = ({ parts }: WorkerRow): number | null => {
        const values = parts.flatMap((part) => of(part) ?? []);
        return values.length === 0 ? null : together(values);
      };
      return numberColumn(head, value, format, title);
    }),
  ];
  return [createTable({ caption: "Workers", lead: "What each worker did:" }, columns, rows)];
}

/** A step as if it had measured one entry of its mix alone. */
function shareOfStep(step: StepResult, name: string): readonly StepResult[] {
  const { measurement } = step;
  const share = measurement?.mix?.find((one) => one.name === name);
  if (measurement === undefined || share === undefined) return [];
  const { latency: _, ...whole } = measurement;
  const { sent, ok, failed, latency } = share;
  const requests = { sent, ok, non2xx: 0, unclassified: failed, inFlight: sent - ok - failed };
  const throughput = whole.elapsedMs > 0 ? (ok / whole.elapsedMs) * 1000 : 0;
  return [{ ...step, measurement: { ...whole, requests, throughput, ...defined({ latency }) } }];
}

/** What few readers look for: counts, bytes, event loops and memory, and the connections of the backends. */
function resourceTable(cells: readonly Cell[]): readonly Block[] {
  const loops = ROLES.map(({ role }) => `${role}_event_loop_share`);
  const memory = ROLES.map(({ role }) => `${role}_memory_bytes`);
  const keys = ["ok", "elapsed_ms", "latency_mean_ms", "received_bytes", "received_bytes_per_s", ...loops, ...memory];
  const blocks = [...figureTable(cells, { caption: "Bytes and resources", keys }), ...figureTable(cells, CONNECTIONS)];
  const summary = "Counts, bytes, event loops, memory and connections of the backends of each level";
  return blocks.length === 0 ? [] : [{ kind: "folded", summary, blocks }];
}

/** Says of each target which of its processes were found and not started, or that none was seen. */
function describeSight(cells: readonly Cell[]): readonly Block[] {
  return [...cellsByTarget(cells)].flatMap(([target, those]): readonly Block[] => {
    const usages = those.flatMap((cell) => cell.usages);
    const servers = usages.flatMap((usage) => [...processesOf(usage, "balancer"), ...processesOf(usage, "backend")]);
    const found = [...new Set(servers.flatMap(({ name, found: isFound }) => (isFound ? [name] : [])))];
    if (found.length > 0) {
      const [process, it] = found.length === 1 ? ["process", "it"] : ["processes", "them"];
      const after = ` at the port of ${target} and watched ${it}. lbbench did not start ${it}.`;
      return [paragraph([`lbbench found the ${process} `, ...codes(found), after])];
    }
    return usages.length > 0 && servers.length === 0
      ? [paragraph(`No process of ${target} was seen, so the bottleneck may be there.`)]
      : [];
  });
}

/** Steps that were not completed, each with the line of its message that says why. */
function describeErrors(cells: readonly Cell[]): readonly Block[] {
  const nameOf = cellNamer(cells);
  const lines = cells.flatMap((cell) =>
    cell.steps
      .filter(({ state }) => state !== "completed")
      .map((step) => {
        const trial = cell.steps.length > 1 ? `, trial ${step.trial}` : "";
        return `${nameOf(cell)}${trial}: ${messageLine(describeStepError(step))}`;
      }),
  );
  return list(lines);
}

/** Messages of which the list has but a line, each once. */
function quoteMessages(cells: readonly Cell[]): readonly Block[] {
  const failed = cells.flatMap(({ steps }) => steps.filter(({ error }) => isLong(error?.message ?? "")));
  const byMessage = [...groupBy(failed, ({ error }) => error?.message ?? "")];
  const quoted = byMessage.flatMap(([text, steps]): readonly Block[] => [
    paragraph(`${[...new Set(steps.map(({ target, level }) => `${target} at ${describeLoad(level)}`))].join(", ")}:`),
    { kind: "code", text },
  ]);
  return quoted.length === 0 ? [] : [heading("Messages in full"), ...quoted];
}

/** The figures of one target of a matrix, a table for each that is known: numbers of requests down, loads across. */
function matrixTables({ name, rows }: MatrixTarget): readonly Block[] {
  const cells = rows.flatMap((row) => row.cells);
  const tables = MATRIX_FIGURES.flatMap(([key, , title]) => {
    const drawn = drawnFigures([key], cells);
    const values = (those: readonly Cell[]): readonly number[] => those.flatMap((cell) => drawn.values(cell));
    if (values(cells).length === 0) return [];
    const { label, unit = label } = drawn.axis;
    const columns = rows.map(({ load, cells: ofLoad }) => {
      const value = (requests: number): number | null => {
        const all = values(ofLoad.filter(({ level }) => level.requests === requests));
        return all.length === 0 ? null : median(all);
      };
      return numberColumn(load, value, drawn.format);
    });
    const lead = `${title} (${unit}); requests down, load across:`;
    return [
      createTable(
        { caption: `${title} by requests and load`, lead },
        [numberColumn<number>("Requests", (requests) => requests, formatCount), ...columns],
        requestsOf(cells),
      ),
    ];
  });
  return [heading(name), ...tables];
}
