import type { MixedRequest, RequestSpec, Scenario, Target } from "../../model/scenario.js";
import type { StepResult } from "../../model/result.js";
import { describeErrorMargin, describeMargin } from "../compare-words.js";
import { describeRamp } from "../describe-ramp.js";
import { describeHttp } from "../describe-http.js";
import { describeServer } from "../describe-server.js";
import { escapeMarkdown, inlineCode } from "../escape-markdown.js";
import { formatCount, formatDuration, formatPercent } from "../format-number.js";
import type { Section } from "./section.js";
import { renderTable } from "./table.js";

/** Cells are Markdown. */
type Setting = readonly [name: string, value: string];

/** How the load was made, and what each target is. */
export const settings: Section = ({ scenario, steps }) => [
  "## Settings",
  renderTable(
    [
      { head: "Setting", align: "left", cell: ([name]: Setting) => name },
      { head: "", align: "left", cell: ([, value]: Setting) => value },
    ],
    [...scenario.targets.map(describeTarget), ...describeLoad(scenario), ...describePrograms(steps)],
  ),
];

/** The programs that generated load, each once. */
function describePrograms(steps: readonly StepResult[]): readonly Setting[] {
  const programs = steps.flatMap(({ measurement }) => measurement?.program ?? []);
  const names = [...new Set(programs.map(({ name, version }) => `${name} ${version}`))];
  if (names.length === 0) return [];
  const kept =
    "what it does not tell is shown as –; its command and what it printed are kept in result.json, with each step";
  return [["Load program", `${escapeMarkdown(names.join(", "))}; ${kept}`]];
}

function describeTarget({ name, server, options, engine }: Target): Setting {
  const own = engine === undefined ? "" : `; engine ${describeServer(engine.name, engine.options)}`;
  return ["Target", `**${escapeMarkdown(name)}**: ${escapeMarkdown(`${describeServer(server, options)}${own}`)}`];
}

function describeLoad(scenario: Scenario): readonly Setting[] {
  const { engine, thresholds, ramp, levels } = scenario;
  const limits = thresholds.map(({ source }) => source);
  const http = describeHttp(scenario);
  return [
    ...(scenario.mix === null ? describeRequest(scenario.request) : describeMixed(scenario.mix, scenario.targets)),
    [
      "Engine",
      escapeMarkdown(
        `${describeServer(engine.name, engine.options)}, ${formatCount(engine.generators)} ${engine.generators === 1 ? "process" : "processes"}`,
      ),
    ],
    ...(ramp === null ? [] : levels.map((level) => ["Ramp", describeRamp(level, ramp)] as const)),
    ["Trials", formatCount(scenario.trials)],
    ...(scenario.order === "random" ? [["Order", `random, seed ${formatCount(scenario.seed)}`] as const] : []),
    ...optional(
      "Stop rules",
      scenario.stopOn.map(({ source }) => source),
    ),
    ["Warm-up", scenario.warmupMs === 0 ? "none" : formatDuration(scenario.warmupMs)],
    ["Timeout", formatDuration(scenario.timeoutMs)],
    ["Keep-alive", scenario.keepAlive ? "on" : "off"],
    ...(http === undefined ? [] : [["Protocol", http] as const]),
    ...optional("Thresholds", limits),
    ...(scenario.margin === null
      ? []
      : [
          [
            "Margin",
            `${describeMargin({ margin: scenario.margin })}, of failed requests ${describeErrorMargin(scenario)}`,
          ] as const,
        ]),
  ];
}

function describeRequest(request: RequestSpec): readonly Setting[] {
  return [
    ["Request", code([`${request.method} ${request.path}`])],
    ...optional("Headers", describeHeaders(request)),
    ...optional("Body", request.body === null ? [] : [describeBody(request.body, request)]),
    ["Expected status", code([request.expectStatus])],
    ...optional("Expected body", request.expectBody === null ? [] : ["compared byte by byte"]),
  ];
}

function describeMixed(mix: readonly MixedRequest[], targets: readonly Target[]): readonly Setting[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const requests = mix.map(({ name, weight, request, bodies }): Setting => {
    const parts = [
      `weight ${weight} (${formatPercent(weight / total)} %)`,
      code([`${request.method} ${request.path}`]),
      ...listed("headers", describeHeaders(request)),
      ...listed("body", request.body === null ? [] : [describeBody(request.body, request)]),
      ...(bodies === null ? [] : [`${formatCount(bodies.length)} ${bodies.length === 1 ? "body" : "bodies"} in turn`]),
      ...listed("expected status", [request.expectStatus]),
      ...(request.expectBody === null ? [] : ["expected body compared byte by byte"]),
    ];
    return ["Request", `**${escapeMarkdown(name)}**: ${parts.join("; ")}`];
  });
  return targets.some(hasOwnPath)
    ? [...requests, ["Paths", "those of the requests; of a target that is a URL only the host counts"]]
    : requests;
}

function hasOwnPath({ options: { url } }: Target): boolean {
  if (typeof url !== "string" || !URL.canParse(url)) return false;
  const { pathname, search } = new URL(url);
  return pathname !== "/" || search !== "";
}

function describeHeaders({ headers }: RequestSpec): readonly string[] {
  return headers.map(([name, value]) => `${name}: ${value}`);
}

function describeBody(body: string, { bodyEncoding }: RequestSpec): string {
  return `${formatCount(body.length)} characters, ${bodyEncoding}`;
}

function listed(name: string, values: readonly string[]): readonly string[] {
  return values.length === 0 ? [] : [`${name} ${code(values)}`];
}

function optional(name: string, values: readonly string[]): readonly Setting[] {
  return values.length === 0 ? [] : [[name, code(values)]];
}

function code(values: readonly string[]): string {
  // A bar ends a cell of a table even inside code, where a backslash before it may itself be meant.
  return values.map((value) => (value.includes("|") ? escapeMarkdown(value) : inlineCode(value))).join(", ");
}
