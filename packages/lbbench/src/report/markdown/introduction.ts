import { groupBy } from "../../stats/group-by.js";
import { loadValue } from "../../stats/load.js";
import { describeAmount, describeLoads, loadWords } from "../describe-level.js";
import { describeRamp } from "../describe-ramp.js";
import { describeHttp } from "../describe-http.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { formatCount, formatDuration } from "../format-number.js";
import { elapsedBetweenMs, formatTimestamp } from "../iso-time.js";
import type { Result } from "../../model/result.js";
import { describeMix } from "./describe-mix.js";
import type { Section } from "./section.js";

/** The title, and one paragraph: what was measured, when, and how long it took. */
export const introduction: Section = (result) => [
  `# ${escapeMarkdown(result.scenario.name)}`,
  `${describeTargets(result)} ${describeLevels(result)}. ${describeTime(result)}`,
];

function describeTargets({ scenario }: Result): string {
  const names = scenario.targets.map(({ name }) => `**${escapeMarkdown(name)}**`);
  const [last = "", ...others] = names.toReversed();
  return `Load test of ${others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`}`;
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
    keepAlive ? "connections kept alive" : "a new connection for every request",
    ...(http === undefined ? [] : [http]),
    ...(mix === null ? [] : [describeMix(mix)]),
  ].join("; ");
}

function describeTime({ startedAt, finishedAt, resumedAt = [], tool }: Result): string {
  const tools = `by ${escapeMarkdown(`${tool.name} ${tool.version}`)}`;
  const elapsedMs = finishedAt === null ? null : elapsedBetweenMs(startedAt, finishedAt);
  const parts = resumedAt.length === 0 ? "" : `, interrupted and resumed ${formatCount(resumedAt.length)} times,`;
  const length = elapsedMs === null ? parts : `${parts} in ${formatDuration(elapsedMs)}`;
  return `Measured on ${escapeMarkdown(formatTimestamp(startedAt))}${length} ${tools}.`;
}
