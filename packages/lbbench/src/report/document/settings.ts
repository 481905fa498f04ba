import type { MixedRequest, RequestSpec, Scenario, Target, ToldScenario } from "../../model/scenario.js";
import type { Imported, ImportedFile, StepResult } from "../../model/result.js";
import { describeErrorMargin, describeMargin } from "../compare-words.js";
import { describeLoads, describeRamp } from "../describe-level.js";
import { describeHttp, describeServer } from "../describe-run.js";
import { formatCount, formatDuration, formatPercent } from "../../stats/format-number.js";
import { formatTimestamp } from "../iso-time.js";
import { loadValue } from "../../stats/load.js";
import { code, type Facts, type Inline, strong } from "./block.js";
import type { Section } from "../report-model.js";
import { markCode } from "./mark-code.js";
import { countOf } from "../../stats/count-of.js";

type Setting = Facts["facts"][number];

/** How the load was made, and what each target is. */
export const settings: Section = ({ result: { scenario, steps, imported } }) => ({
  id: "settings",
  title: "Settings",
  blocks: [
    {
      kind: "facts",
      facts: [
        ...scenario.targets.map((target) =>
          isUntold(target, imported)
            ? (["Target", [strong(target.name), ": address not told"]] as const)
            : describeTarget(target),
        ),
        ...describeLoadSettings(scenario, steps),
        ...describePrograms(steps, imported),
        ...(imported?.files ?? []).map(describeFile),
      ],
    },
  ],
});

/** The programs that generated load, each once. */
function describePrograms(steps: readonly StepResult[], imported: Imported | undefined): readonly Setting[] {
  const programs = steps.flatMap(({ measurement }) => measurement?.program ?? []);
  const names = [...new Set(programs.map(({ name, version }) => (version === null ? name : `${name} ${version}`)))];
  if (names.length === 0) return [];
  const kept =
    imported === undefined
      ? "what it does not tell is shown as –; its command and what it printed are kept in result.json, with each step"
      : "what it does not tell is shown as –; what it printed is kept in result.json, with each step";
  return [["Load program", `${names.join(", ")}; ${kept}`]];
}

function describeFile({ name, modifiedAt, runs }: ImportedFile): Setting {
  const file = name === "-" ? "standard input" : name;
  const changed = modifiedAt === null ? "" : `, last changed on ${formatTimestamp(modifiedAt)}`;
  return ["Imported from", `${file}: ${countOf(runs, "run")}${changed}`];
}

/** Of a run that lbbench made, what the target is has been said. */
function isUntold({ options }: Target, imported: Imported | undefined): boolean {
  return imported !== undefined && options["url"] === undefined;
}

function describeTarget({ name, server, options, engine, references = [] }: Target): Setting {
  const own = engine === undefined ? "" : `; engine ${describeServer(engine.name, engine.options)}`;
  const about = markCode(`: ${describeServer(server, options)}${own}`, { targets: [], thresholds: [], stopOn: [] });
  const compared = references.length === 0 ? [] : [`; compared with ${references.join(" and ")}`];
  return ["Target", [strong(name), ...(typeof about === "string" ? [about] : about), ...compared]];
}

function describeGenerators(generators: ToldScenario["engine"]["generators"], steps: readonly StepResult[]): string {
  if (generators === null) return "";
  if (generators === "auto") {
    const split = steps.filter((step) => (step.generators ?? 1) > 1);
    const numbers = [...new Set(split.map((step) => step.generators ?? 1))].toSorted((a, b) => a - b);
    const places = numbers.map((number) => {
      const levels = split.filter((step) => step.generators === number).map(({ level }) => level);
      return `${number} at ${describeLoads([...new Map(levels.map((level) => [loadValue(level), level])).values()])}`;
    });
    return places.length === 0 ? ", 1 process (auto)" : `, 1 process (auto), but ${places.join(", ")}`;
  }
  return `, ${countOf(generators, "process", "processes")}`;
}

function describeWarmup(warmup: Scenario["warmupMs"]): string {
  if (warmup === "auto") return "until throughput is steady";
  return warmup === 0 ? "none" : formatDuration(warmup);
}

function describeLoadSettings(scenario: ToldScenario, steps: readonly StepResult[]): readonly Setting[] {
  const { engine, thresholds, ramp, levels } = scenario;
  const limits = thresholds.map(({ source }) => source);
  const http = describeHttp(scenario);
  return [
    ...(scenario.mix === null ? describeRequest(scenario.request) : describeMixed(scenario.mix, scenario.targets)),
    ["Engine", `${describeServer(engine.name, engine.options)}${describeGenerators(engine.generators, steps)}`],
    ...(ramp === null ? [] : levels.map((level) => ["Ramp", describeRamp(level, ramp)] as const)),
    ["Trials", formatCount(scenario.trials)],
    ...(scenario.order === "random" ? [["Order", `random, seed ${told(scenario.seed, formatCount)}`] as const] : []),
    ...optional(
      "Stop rules",
      scenario.stopOn.map(({ source }) => source),
    ),
    ["Warm-up", told(scenario.warmupMs, describeWarmup)],
    ["Timeout", told(scenario.timeoutMs, formatDuration)],
    ["Keep-alive", told(scenario.keepAlive, (isOn) => (isOn ? "on" : "off"))],
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

const NOT_TOLD = "not told, or not alike in all that was imported";

function told<Value>(value: Value | null, describe: (value: Value) => string): string {
  return value === null ? NOT_TOLD : describe(value);
}

function describeRequest(request: RequestSpec | null): readonly Setting[] {
  if (request === null) return [["Request", "method, headers and body are not told"]];
  return [
    ["Request", [code(`${request.method} ${request.path}`)]],
    ...optional("Headers", describeHeaders(request)),
    ...optional("Body", request.body === null ? [] : [describeBody(request.body, request)]),
    ["Expected status", [code(request.expectStatus)]],
    ...optional("Expected body", request.expectBody === null ? [] : ["compared byte by byte"]),
  ];
}

function describeMixed(mix: readonly MixedRequest[], targets: readonly Target[]): readonly Setting[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const requests = mix.map(({ name, weight, request, bodies }): Setting => {
    const parts: readonly (readonly Inline[])[] = [
      [`weight ${weight} (${formatPercent(weight / total)} %)`],
      [code(`${request.method} ${request.path}`)],
      ...listed("headers", describeHeaders(request)),
      ...listed("body", request.body === null ? [] : [describeBody(request.body, request)]),
      ...(bodies === null ? [] : [[`${countOf(bodies.length, "body", "bodies")} in turn`]]),
      ...listed("expected status", [request.expectStatus]),
      ...(request.expectBody === null ? [] : [["expected body compared byte by byte"]]),
    ];
    return ["Request", [strong(name), ": ", ...join(parts, "; ")]];
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
  return `${countOf(body.length, "character")}, ${bodyEncoding}`;
}

function listed(name: string, values: readonly string[]): readonly (readonly Inline[])[] {
  return values.length === 0 ? [] : [[`${name} `, ...codes(values)]];
}

function optional(name: string, values: readonly string[]): readonly Setting[] {
  return values.length === 0 ? [] : [[name, codes(values)]];
}

function codes(values: readonly string[]): readonly Inline[] {
  return join(
    values.map((value) => [code(value)]),
    ", ",
  );
}

function join(parts: readonly (readonly Inline[])[], between: string): readonly Inline[] {
  return parts.flatMap((part, at) => (at === 0 ? part : [between, ...part]));
}
