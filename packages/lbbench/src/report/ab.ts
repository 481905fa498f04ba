/** Results in the words and the layout of ApacheBench 2.3. */
import type { LatencySummary, Measurement, PhaseSummary } from "../model/measurement.js";
import type { Result, StepResult } from "../model/result.js";
import type { Target, ToldScenario } from "../model/scenario.js";
import type { ReportFile } from "../plugin.js";
import { sumOf } from "../stats/descriptive.js";
import { AB_PERCENTAGES } from "../stats/latency-keys.js";
import { isOpenLoop, loadOf } from "../stats/load.js";
import { finishedRequests } from "../stats/request-counts.js";
import { addressOf } from "../stats/url-address.js";
import { cellsByTarget, collectCells } from "./cells.js";
import { describeAmount, describeLoad } from "./describe-level.js";
import { describeStepError, ownPathOf, urlOf } from "./describe-run.js";
import { createTable, heading, NO_FIGURE, rightColumn } from "./document/block.js";
import { formatCount } from "../stats/format-number.js";
import { renderBlocks, renderInlines } from "./markdown.js";
import { NOT_PRINTED } from "../stats/not-printed.js";
import { capitalize, plainLine } from "./plain-line.js";

/** Returns `ab.txt`, a block for each step as ApacheBench prints it, and `ab.md`, their figures in tables. */
export function renderAb(result: Result): readonly ReportFile[] {
  const { tool, scenario, steps } = result;
  const head = `# Measured by ${plainLine(`${tool.name} ${tool.version}`)}, in the layout of ApacheBench 2.3`;
  const blocks = steps.map((step) => renderBlock(scenario, step));
  return [
    { name: "ab.txt", content: `${[head, ...blocks].join("\n\n")}\n` },
    { name: "ab.md", content: renderTables(result) },
  ];
}

/** A comment that says which step it is, then what is known of it; a step that `ab` measured has what `ab` printed. */
function renderBlock(scenario: ToldScenario, step: StepResult): string {
  const { target, level, trial, state, measurement } = step;
  const place = [`target ${JSON.stringify(target)}`, describeLoad(level), describeAmount(level), `trial ${trial}`];
  const outcome = state === "completed" ? "" : `: ${describeStepError(step)}`;
  const paragraphs =
    measurement === undefined
      ? []
      : (printedByAb(measurement) ?? [
          serverLines(scenario, step, measurement),
          totalLines(totalsOf(scenario, step, measurement)),
          phaseLines(step, measurement),
          percentageLines(measurement),
        ]);
  return [
    `# lbbench: ${plainLine(`${place.filter((part) => part !== "").join(", ")}${outcome}`)}`,
    ...paragraphs.filter((lines) => lines.length > 0).map((lines) => lines.join("\n")),
  ].join("\n\n");
}

/** A line that was too long, or many of them, as they are marked where output is kept. */
const CUT = /\[cut\]$|^\[\d+ lines left out\]$/;

/** What ab itself printed, from the server on; `undefined` for other engines, and where it was not kept whole. */
function printedByAb({ program }: Measurement): readonly (readonly string[])[] | undefined {
  if (program?.name !== "ab") return undefined;
  const lines = program.output
    .split(/\r\n|\r|\n/)
    // Columns are left where they are. The name of the server comes from outside.
    .map((line) => line.replaceAll(NOT_PRINTED, (run) => " ".repeat(run.length)));
  const first = lines.findIndex((line) => line.startsWith("Server Software:"));
  return first === -1 || lines.some((line) => CUT.test(line)) ? undefined : [lines.slice(first)];
}

const LABEL_WIDTH = 24;

/** Lines of a label and a figure with its unit, which begins at the 25th character; none for an unknown figure. */
function lines(
  rows: readonly (readonly [label: string, figure: string | number | undefined, unit?: string])[],
): readonly string[] {
  return rows.flatMap(([label, figure, unit]) =>
    figure === undefined ? [] : [(label && `${label}:`).padEnd(LABEL_WIDTH) + [figure, unit ?? []].flat().join(" ")],
  );
}

/** Name and port of a target that is a URL, whose own name for itself is not kept, and what was asked for. */
function serverLines(scenario: ToldScenario, step: StepResult, { requests }: Measurement): readonly string[] {
  const target = scenario.targets.find(({ name }) => name === step.target);
  const url = target?.server === "url" ? urlOf(target) : undefined;
  const expectBody = scenario.request?.expectBody ?? null;
  const isKnown = expectBody !== null && scenario.mix === null && requests.ok > 0;
  return [
    ...lines([
      ["Server Hostname", url && plainLine(url.hostname)],
      ["Server Port", url && addressOf(url).port],
    ]),
    ...(url === undefined ? [] : [""]),
    ...lines([
      ["Document Path", target && pathOf(scenario, step, target)],
      // What `ab -l` says when lengths are not compared.
      ["Document Length", isKnown ? `${new TextEncoder().encode(expectBody).length} bytes` : "Variable"],
    ]),
  ];
}

/** A mix has several paths; a call by gRPC has a method. A path in the URL of a target goes before that of the request. */
function pathOf({ mix, request }: ToldScenario, { engine }: StepResult, target: Target): string | undefined {
  if (mix !== null || engine === "grpc") return undefined;
  const own = ["url", "command"].includes(target.server) ? ownPathOf(target) : undefined;
  return plainLine(own ?? request?.path ?? "/");
}

/**
 * Counts as ab does: complete is every request that came to an end on a connection, failed are `connect`, `receive` and `length`. One difference:
 * ab counts a request that was reset two or three times, here it is one failure, so that `complete + connect` is all that came to an end.
 */
function countForAb({ requests, statusCodes }: Measurement) {
  const finished = finishedRequests(requests);
  const { connectErrors: connect = 0, mismatched: length = 0 } = requests;
  const receive = finished - requests.ok - requests.non2xx - length - connect;
  const told = Object.entries(statusCodes).filter(([status]) => /^\d{3}$/.test(status));
  const others = told.filter(([status]) => !status.startsWith("2"));
  return {
    complete: finished - connect,
    failed: connect + receive + length,
    connect,
    receive,
    length,
    // Which statuses are good may have been chosen, to ab it is those of 2xx.
    non2xx: told.length === 0 ? requests.non2xx : sumOf(others, ([, count]) => count),
  };
}

/**
 * What a block tells of a measurement, as ab counts. Rates and times are of complete requests. The concurrency is the connections of a closed
 * loop, the users at the end of a ramp, and the most connections that an open loop needed; in the last two it varied, so that there is no
 * mean time per request by it.
 */
function totalsOf(scenario: ToldScenario, { level }: Pick<StepResult, "level">, measurement: Measurement) {
  const counts = countForAb(measurement);
  const { elapsedMs, bytes, connections } = measurement;
  const { kind, value } = loadOf(level);
  const concurrency = isOpenLoop(kind) ? connections.asked : value;
  const perRequestMs = elapsedMs / counts.complete;
  const hasRates = counts.complete > 0 && elapsedMs > 0;
  const ifRates = (figure: string): string | undefined => (hasRates ? figure : undefined);
  const transfer = (amount: number | undefined): string | undefined =>
    amount === undefined || bytes.received === undefined
      ? undefined
      : ifRates(((amount / 1024 / elapsedMs) * 1000).toFixed(2));
  const { mix, request } = scenario;
  const requests = mix ?? (request === null ? [] : [{ request, bodies: null }]);
  const hasBody = requests.some((one) => (one.request?.body ?? null) !== null || one.bodies !== null);
  // Head and body, though ab calls it otherwise.
  const sent = hasBody ? bytes.sent : undefined;
  return {
    ...counts,
    ...bytes,
    sent,
    concurrency,
    seconds: (elapsedMs / 1000).toFixed(3),
    rate: ifRates(((counts.complete / elapsedMs) * 1000).toFixed(2)),
    perRequest: kind === "connections" ? ifRates((perRequestMs * concurrency).toFixed(3)) : undefined,
    across: ifRates(perRequestMs.toFixed(3)),
    transfer: transfer(bytes.received),
    transferSent: transfer(sent),
    transferAll: sent === undefined ? undefined : transfer((bytes.received ?? 0) + sent),
  };
}

type Totals = ReturnType<typeof totalsOf>;

function totalLines(totals: Totals): readonly string[] {
  const { complete, failed, connect, receive, length, non2xx, received, body, sent } = totals;
  const failures = `   (Connect: ${connect}, Receive: ${receive}, Length: ${length}, Exceptions: 0)`;
  return [
    ...lines([
      ["Concurrency Level", totals.concurrency],
      ["Time taken for tests", totals.seconds, "seconds"],
      ["Complete requests", complete],
      ["Failed requests", failed],
    ]),
    ...(failed > 0 ? [failures] : []),
    ...lines([
      ["Non-2xx responses", non2xx > 0 ? non2xx : undefined],
      ["Total transferred", received, "bytes"],
      ["Total body sent", sent],
      ["HTML transferred", body, "bytes"],
      ["Requests per second", totals.rate, "[#/sec] (mean)"],
      ["Time per request", totals.perRequest, "[ms] (mean)"],
      ["Time per request", totals.across, "[ms] (mean, across all concurrent requests)"],
      ["Transfer rate", totals.transfer, "[Kbytes/sec] received"],
      ["", totals.transferSent, "kb/s sent"],
      ["", totals.transferAll, "kb/s total"],
    ]),
  ];
}

const PHASES = ["connect", "processing", "waiting", "total"] as const;

/** The table of connection times, in whole ms. In an open loop they begin when a request left, and percentiles when it was due. */
function phaseLines({ level }: StepResult, { phases }: Measurement): readonly string[] {
  if (phases === undefined || level.rate !== undefined) return [];
  const whole = (ms: number, width: number): string => ms.toFixed(0).padStart(width);
  const row = ({ min, mean, stddev, median, max }: PhaseSummary): string =>
    [whole(min, 5), whole(mean, 4), stddev.toFixed(1).padStart(5), whole(median, 6), whole(max, 7)].join(" ");
  return [
    "Connection Times (ms)",
    "              min  mean[+/-sd] median   max",
    ...PHASES.map((phase) => `${capitalize(phase)}:`.padEnd(12) + row(phases[phase])),
  ];
}

/** Latency of the ok answers, or of the others where none is ok. To ab it is that of all that came to an end. */
function servedLatency(measurement: Measurement | undefined): Partial<LatencySummary> {
  return measurement?.latency ?? measurement?.failedLatency ?? {};
}

/** The table of percentiles, in whole ms. */
function percentageLines(measurement: Measurement): readonly string[] {
  const latency = servedLatency(measurement);
  const rows = AB_PERCENTAGES.flatMap(([percentage, key]) => {
    const ms = latency[key];
    if (ms === undefined) return [];
    const row = `${`${percentage}%`.padStart(5)} ${ms.toFixed(0).padStart(6)}`;
    return [percentage === 100 ? `${row} (longest request)` : row];
  });
  return rows.length === 0 ? [] : ["Percentage of the requests served within a certain time (ms)", ...rows];
}

/** Columns of the table that people make of such blocks by hand, percentiles last. */
const COLUMNS: readonly (readonly [head: string, of: (totals: Totals) => number | string | undefined])[] = [
  ["Time taken (s)", ({ seconds }) => seconds],
  ["Complete requests", ({ complete }) => complete],
  ["Failed requests", ({ failed }) => failed],
  ["Non-2xx responses", ({ non2xx }) => non2xx],
  ["Total transferred (bytes)", ({ received }) => received],
  ["Requests per second", ({ rate }) => rate],
  ["Time per request (ms)", ({ perRequest, across }) => perRequest ?? across],
  ["Transfer rate (KiB/s)", ({ transfer }) => transfer],
];

function renderTables(result: Result): string {
  const { scenario } = result;
  const blocks = [...cellsByTarget(collectCells(result))].flatMap(([target, cells]) => {
    const rows = cells
      .flatMap((cell) => cell.steps)
      .map(({ measurement, ...step }, at) => ({
        test: at + 1,
        step,
        latency: servedLatency(measurement),
        totals: measurement && totalsOf(scenario, step, measurement),
      }));
    const column = (head: string, figure: (row: (typeof rows)[number]) => number | string | undefined) =>
      rightColumn(head, (row: (typeof rows)[number]) => String(figure(row) ?? NO_FIGURE));
    const columns = [
      column("Test no.", ({ test }) => formatCount(test)),
      column("Concurrency level", ({ totals, step }) => totals?.concurrency ?? describeLoad(step.level)),
      ...(rows.some(({ step }) => step.trial > 1) ? [column("Trial", ({ step }) => formatCount(step.trial))] : []),
      ...COLUMNS.map(([head, of]) => column(head, ({ totals }) => totals && of(totals))),
      ...AB_PERCENTAGES.map(([share, key]) => column(`${share} % (ms)`, ({ latency }) => latency[key]?.toFixed(0))),
    ];
    return [heading(target), createTable({ caption: `Tests of ${target}` }, columns, rows)];
  });
  const lead =
    "Words have the meaning that ab gives them: complete is whatever came to an end, of any status, and rates are of that. Each row is a block of [ab.txt](ab.txt).";
  return `${[`# ${renderInlines(`${scenario.name}, as ab counts`)}`, lead, ...renderBlocks(blocks)].join("\n\n")}\n`;
}
