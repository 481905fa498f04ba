import type { Scenario, Target } from "../../model/scenario.js";
import { describeServer } from "../describe-server.js";
import { escapeMarkdown, inlineCode } from "../escape-markdown.js";
import { formatCount, formatDuration } from "../format-number.js";
import type { Section } from "./section.js";
import { renderTable } from "./table.js";

/** Cells are Markdown. */
type Setting = readonly [name: string, value: string];

/** How the load was made, and what each target is. */
export const settings: Section = ({ scenario }) => [
  "## Settings",
  renderTable(
    [
      { head: "Setting", align: "left", cell: ([name]: Setting) => name },
      { head: "", align: "left", cell: ([, value]: Setting) => value },
    ],
    [...scenario.targets.map(describeTarget), ...describeLoad(scenario)],
  ),
];

function describeTarget({ name, server, options, engine }: Target): Setting {
  const own = engine === undefined ? "" : `; engine ${describeServer(engine.name, engine.options)}`;
  return ["Target", `**${escapeMarkdown(name)}**: ${escapeMarkdown(`${describeServer(server, options)}${own}`)}`];
}

function describeLoad(scenario: Scenario): readonly Setting[] {
  const { request, engine, thresholds } = scenario;
  const headers = request.headers.map(([name, value]) => `${name}: ${value}`);
  const limits = thresholds.map(({ source }) => source);
  return [
    ["Request", code([`${request.method} ${request.path}`])],
    ...optional("Headers", headers),
    ...optional(
      "Body",
      request.body === null ? [] : [`${formatCount(request.body.length)} characters, ${request.bodyEncoding}`],
    ),
    ["Expected status", code([request.expectStatus])],
    ...optional("Expected body", request.expectBody === null ? [] : ["compared byte by byte"]),
    [
      "Engine",
      escapeMarkdown(
        `${describeServer(engine.name, engine.options)}, ${formatCount(engine.generators)} ${engine.generators === 1 ? "process" : "processes"}`,
      ),
    ],
    ["Trials", formatCount(scenario.trials)],
    ...(scenario.order === "random" ? [["Order", `random, seed ${formatCount(scenario.seed)}`] as const] : []),
    ...optional(
      "Stop rules",
      scenario.stopOn.map(({ source }) => source),
    ),
    ["Warm-up", scenario.warmupMs === 0 ? "none" : formatDuration(scenario.warmupMs)],
    ["Timeout", formatDuration(scenario.timeoutMs)],
    ["Keep-alive", scenario.keepAlive ? "on" : "off"],
    ...optional("Thresholds", limits),
  ];
}

function optional(name: string, values: readonly string[]): readonly Setting[] {
  return values.length === 0 ? [] : [[name, code(values)]];
}

function code(values: readonly string[]): string {
  // A bar ends a cell of a table even inside code, where a backslash before it may itself be meant.
  return values.map((value) => (value.includes("|") ? escapeMarkdown(value) : inlineCode(value))).join(", ");
}
