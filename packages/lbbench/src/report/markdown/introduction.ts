import { describeAmount } from "../describe-level.js";
import { escapeMarkdown } from "../escape-markdown.js";
import { formatCount, formatDuration } from "../format-number.js";
import { elapsedBetweenMs, formatTimestamp } from "../iso-time.js";
import type { Result } from "../../model/result.js";
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

function describeLevels({ scenario: { levels, trials, keepAlive } }: Result): string {
  const connections = [...new Set(levels.map((level) => level.connections))].map(formatCount);
  const amounts = [...new Set(levels.map(describeAmount))];
  const repeated = trials === 1 ? "one trial" : `${formatCount(trials)} trials`;
  const plural = connections.length === 1 && connections[0] === "1" ? "connection" : "connections";
  return [
    `at ${connections.join(", ")} ${plural}`,
    `${amounts.join(", ")} each`,
    repeated,
    keepAlive ? "connections kept alive" : "a new connection for every request",
  ].join("; ");
}

function describeTime({ startedAt, finishedAt, tool }: Result): string {
  const tools = `by ${escapeMarkdown(`${tool.name} ${tool.version}`)}`;
  const elapsedMs = finishedAt === null ? null : elapsedBetweenMs(startedAt, finishedAt);
  const length = elapsedMs === null ? "" : ` in ${formatDuration(elapsedMs)}`;
  return `Measured on ${escapeMarkdown(formatTimestamp(startedAt))}${length} ${tools}.`;
}
