import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeAmount, describeLoads, loadWords } from "../describe-level.js";
import { describeRamp } from "../describe-ramp.js";
import { describeHttp } from "../describe-http.js";
import { formatCount, formatDuration } from "../format-number.js";
import { elapsedBetweenMs, formatTimestamp } from "../iso-time.js";
import type { Result } from "../../model/result.js";
import { describeImport } from "../describe-import.js";
import { describeMix } from "./describe-mix.js";
import type { Inline, ReportDocument } from "./block.js";
import { strong } from "./blocks.js";

/** Returns the title, and a paragraph: what was measured, when, and how long it took. */
export function introduce(result: Result): Pick<ReportDocument, "title" | "introduction"> {
  return {
    title: result.scenario.name,
    introduction: ["Load test of ", ...listTargets(result), ` ${describeLevels(result)}. ${describeTime(result)}`],
  };
}

function listTargets({ scenario }: Result): readonly Inline[] {
  const { length } = scenario.targets;
  return scenario.targets.flatMap(({ name }, at) => {
    const before = at === 0 ? [] : [at === length - 1 ? " and " : ", "];
    return [...before, strong(name)];
  });
}

function describeLevels({ scenario }: Result): string {
  const { levels, trials, keepAlive, search, mix, ramp } = scenario;
  const http = describeHttp(scenario);
  const loads = [...groupBy(levels, (level) => String(loadValue(level))).values()].flatMap(([level]) => level ?? []);
  const amounts = [...new Set(levels.map(describeAmount))];
  const repeated = trials === 1 ? "one trial" : `${formatCount(trials)} trials`;
  return [
    ...(ramp === null
      ? [
          search === null
            ? `at ${describeLoads(loads, ", ")}`
            : `in search of the most ${loadWords(levels).many} that hold every threshold`,
          `${amounts.join(", ")} each`,
        ]
      : [`with ${loads.map((level) => describeRamp(level, ramp)).join(", ")}`]),
    search === null ? repeated : `up to ${repeated} of a level`,
    ...(keepAlive === null ? [] : [keepAlive ? "connections kept alive" : "a new connection for every request"]),
    ...(http === undefined ? [] : [http]),
    ...(mix === null ? [] : [describeMix(mix)]),
  ].join("; ");
}

function timesOf(count: number): string {
  return count === 1 ? "once" : `${formatCount(count)} times`;
}

function describeTime({ startedAt, finishedAt, resumedAt = [], tool, imported }: Result): string {
  const tools = `by ${tool.name} ${tool.version}`;
  if (imported !== undefined) return `${describeImport(imported)} ${tools}.`;
  const elapsedMs = finishedAt === null ? null : elapsedBetweenMs(startedAt, finishedAt);
  const parts = resumedAt.length === 0 ? "" : `, interrupted and resumed ${timesOf(resumedAt.length)},`;
  const length = elapsedMs === null ? parts : `${parts} in ${formatDuration(elapsedMs)}`;
  return `Measured on ${formatTimestamp(startedAt)}${length} ${tools}.`;
}
