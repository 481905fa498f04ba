import type { Result } from "../../model/result.js";
import type { MixedRequest, ToldScenario } from "../../model/scenario.js";
import { sumOf } from "../../stats/descriptive.js";
import { groupBy } from "../../stats/group-by.js";
import { plannedTrials } from "../../stats/identity.js";
import { loadValue } from "../../stats/load.js";
import type { ReportModel } from "../report-model.js";
import { describeHold, describeHttp, describeImport } from "../describe-run.js";
import { describeLoads, describeRamp, distinctAmounts, loadWords } from "../describe-level.js";
import { formatCount, formatDuration, formatPercent, countOf } from "../../stats/format-number.js";
import { elapsedBetweenMs, formatTimestamp } from "../../stats/iso-time.js";
import { joinWords } from "../plain-line.js";
import { type Block, type Inline, list, marked, type ReportDocument, type SectionId, strong } from "./block.js";
import { shareTables } from "../backend-shares.js";
import { faultFigures, faultTable } from "../faults.js";
import { describeHeadline } from "../headline.js";
import { policyTable } from "../policies.js";
import { comparison } from "./comparison.js";
import { findings } from "./findings.js";
import { results } from "./results.js";
import { measuring } from "./settings.js";

type Section = readonly [id: SectionId, title: string, blocks: (model: ReportModel) => readonly Block[]];

/** What a report consists of, in order; a section without blocks is left out. */
const SECTIONS: readonly Section[] = [
  ["verdict", "Verdict", verdict],
  ["policies", "Policies", ({ result, cells }) => policyTable(result.scenario, cells)],
  ["faults", "Faults", ({ result, faults }) => faultTable(faults, result.scenario.targets.length)],
  ["results", "Results", results],
  ["comparison", "Comparison", comparison],
  ["charts", "Charts", ({ charts }) => (charts.length === 0 ? [] : [{ kind: "charts", charts }])],
  ["findings", "Findings", findings],
  ["backends", "Share of requests per backend", ({ result, cells }) => shareTables(result, cells)],
  ["settings", "How it was measured", measuring],
  ["glossary", "How to read this", glossary],
];

/** Returns a result as a report in data, verdict first; Markdown and HTML are made of it. Its texts are plain, and come from anywhere. */
export function createDocument(model: ReportModel): ReportDocument {
  const { result } = model;
  const { verdict: judged, finishedAt } = result;
  const outcome = `${finishedAt === null ? " so far" : ""}: ${judged.status}`;
  return {
    title: result.scenario.name,
    introduction: ["Load test of ", ...listTargets(result), ` ${describeLevels(result)}. ${describeWhen(result)}`],
    sections: SECTIONS.map(([id, title, make]) => ({
      id,
      title: id === "verdict" ? `${title}${outcome}` : title,
      blocks: make(model),
    })).filter(({ blocks }) => blocks.length > 0),
  };
}

/** The first screen: the verdict in a sentence, what the run shows in a few lines, and what to do next. */
function verdict(model: ReportModel): readonly Block[] {
  const { verdict: text, lines, next, more } = describeHeadline(model);
  return [
    { kind: "verdict", status: model.result.verdict.status, text },
    ...list([...lines, ...(next === "" ? [] : [`Next: ${next}`])]),
    ...(more.length === 0 ? [] : [{ kind: "folded", summary: "More of this run", blocks: list(more) } as const]),
  ];
}

function listTargets({ scenario }: Result): readonly Inline[] {
  const { length } = scenario.targets;
  return scenario.targets.flatMap(({ name }, at) => {
    const before = at === 0 ? [] : [at === length - 1 ? " and " : ", "];
    return [...before, strong(name)];
  });
}

function describeLevels({ scenario, steps }: Result): string {
  const { levels, search, mix, ramp } = scenario;
  const trials = plannedTrials(scenario, steps);
  const loads = [...groupBy(levels, (level) => String(loadValue(level))).values()].flatMap(([level]) => level ?? []);
  const at =
    search === null
      ? `at ${describeLoads(loads, ", ")}`
      : `in search of the most ${loadWords(levels).many} that hold every threshold`;
  // Of imported output the level with the fewest is planned.
  const most = steps.reduce((largest, { trial }) => Math.max(largest, trial), trials);
  const fewer = trials === most ? "" : `${trials} to `;
  const repeated = most === 1 ? "one trial" : `${fewer}${countOf(most, "trial")}`;
  return [
    ramp === null
      ? [at, `${distinctAmounts(levels).join(", ")} each`]
      : `with ${loads.map((level) => describeRamp(level, ramp)).join(", ")}`,
    search === null ? repeated : `up to ${repeated} of a level`,
    describeConnections(scenario),
    describeHttp(scenario) ?? [],
    mix === null ? [] : describeMix(mix),
  ]
    .flat()
    .join("; ");
}

function describeConnections({ keepAlive, requestsPerConnection: each, hold }: ToldScenario): readonly string[] {
  if (hold !== undefined) return [describeHold(hold)];
  if (keepAlive === null) return [];
  if (!keepAlive) return ["a new connection for every request"];
  return [each === undefined ? "connections kept alive" : `a new connection for every ${countOf(each, "request")}`];
}

function describeWhen({ startedAt, finishedAt, resumedAt = [], tool, imported }: Result): string {
  const tools = `by ${tool.name} ${tool.version}`;
  if (imported !== undefined) return `${describeImport(imported)} ${tools}.`;
  const elapsedMs = finishedAt === null ? null : elapsedBetweenMs(startedAt, finishedAt);
  const often = resumedAt.length === 1 ? "once" : `${formatCount(resumedAt.length)} times`;
  const parts = resumedAt.length === 0 ? "" : `, interrupted and resumed ${often},`;
  const length = elapsedMs === null ? parts : `${parts} in ${formatDuration(elapsedMs)}`;
  return `Measured on ${formatTimestamp(startedAt)}${length} ${tools}.`;
}

const MOST_NAMES = 5;

/** Returns what is sent, names as they came: `a mix of GET / (80.0 %) and POST /cart (20.0 %)`. */
function describeMix(mix: readonly MixedRequest[]): string {
  const total = sumOf(mix, ({ weight }) => weight);
  const words = mix.slice(0, MOST_NAMES).map(({ name, weight }) => `${name} (${formatPercent(weight / total)} %)`);
  const more = mix.length - words.length;
  const all = more === 0 ? words : [...words, `${formatCount(more)} more`];
  return `a mix of ${joinWords(all)}${all.length === 1 ? " alone" : ""}`;
}

const USERS =
  "**Users** come one after the other, or in steps; each has a connection, and sends its next request when the last is answered. A second is counted from the start of the load, from 0.";

/** A few words that the tables need. */
function glossary({ result: { scenario }, faults: rows }: ReportModel): readonly Block[] {
  const isOpen = scenario.levels.some(({ rate }) => rate !== undefined);
  const words = [
    "**Requests/s** (throughput) counts ok responses only: complete, with an expected status and body.",
    `**Latency** is of ok responses, from ${isOpen ? "when a request was due" : "sending a request"} to the last byte of its answer. 99 % of them took no longer than p99.`,
    ...(scenario.ramp === null ? [] : [USERS]),
    ...faultFigures(rows).map(({ head, title }) => `**${head}**: ${title}.`),
    "**Failed** adds up all classes: unexpected status, wrong body, no connection, reset, dropped, timed out. Requests still open when a timed run ends are in flight, not failed.",
    "**Bottleneck** is the part that was busy to its limit. A process is where its busiest thread used 90 % of a core, or all of it 90 % of the cores that it may use. An event loop is from 95 % on, and so is the machine, by all its cores. A dash means that the processes of the server were not seen, or for less than 200 ms. Where it is the `generator`, the target may carry more than was sent.",
    "**Faster** and **slower** are said only where starts differ by more than noise would explain (5 % for all that is compared); else `~`.",
  ];
  return list(words.map(marked));
}
