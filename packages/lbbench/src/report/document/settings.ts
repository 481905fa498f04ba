/** How the load was made, what each target is, on which machine, and how to repeat it. */
import type { ImportedFile, Result, StepResult } from "../../model/result.js";
import type {
  MixedRequest,
  RequestSpec,
  Scenario,
  Target,
  TlsSpec,
  ToldScenario,
  Workers,
} from "../../model/scenario.js";
import { sumOf } from "../../stats/descriptive.js";
import { formatFault } from "../../stats/faults.js";
import { formatCount, formatDuration, formatPercent, countOf } from "../../stats/format-number.js";
import { plannedTrials } from "../../stats/identity.js";
import { loadValue } from "../../stats/load.js";
import { describeErrorMargin, describeMargin } from "../compare-words.js";
import { describeLoads, describeRamp } from "../describe-level.js";
import { describeHold, describeHttp, describeServer, ownPathOf } from "../describe-run.js";
import { formatTimestamp } from "../../stats/iso-time.js";
import { joinWords } from "../plain-line.js";
import type { ReportModel } from "../report-model.js";
import { type Block, code, codes, type Inline, type Inlines, type Kind, marked, strong } from "./block.js";

/** A name, and what it is set to. */
type Setting = Kind<"facts">["facts"][number];

export function measuring({ result }: ReportModel): readonly Block[] {
  const { scenario, steps, imported } = result;
  const facts: readonly Setting[] = [
    ...scenario.targets.map((target) => describeTarget(target, imported !== undefined)),
    ...describeLoadSettings(scenario, steps),
    ...describePrograms(result),
    ...(imported?.files ?? []).map(describeFile),
    ...describeMachine(result),
    ["Repeat it", describeRepeat(result)],
  ];
  return [{ kind: "facts", facts }];
}

function describeTarget({ name, server, options, engine, references = [] }: Target, isImported: boolean): Setting {
  if (isImported && options["url"] === undefined) return ["Target", [strong(name), ": address not told"]];
  const own = engine === undefined ? "" : `; engine ${describeServer(engine.name, engine.options)}`;
  const compared = references.length === 0 ? "" : `; compared with ${references.join(" and ")}`;
  return ["Target", [strong(name), `: ${describeServer(server, options)}${own}${compared}`]];
}

function describeLoadSettings(scenario: ToldScenario, steps: readonly StepResult[]): readonly Setting[] {
  const { engine, thresholds, ramp, levels, order, stopOn, margin, hold, arrival, faults = [] } = scenario;
  const { requestsPerConnection: perConnection } = scenario;
  const each = perConnection === undefined ? "" : `, ${countOf(perConnection, "request")} on a connection`;
  const listed = (texts: readonly string[]): Inlines | undefined => (texts.length === 0 ? undefined : codes(texts));
  const rows: readonly (readonly [name: string, value: Inlines | undefined])[] = [
    ...describeRequests(scenario),
    ["Engine", `${describeServer(engine.name, engine.options)}${describeGenerators(engine, steps)}`],
    ["Arrivals", arrival?.spacing === "poisson" ? `at random (Poisson), seed ${formatCount(arrival.seed)}` : undefined],
    ["Workers", engine.workers && describeWorkers(engine.workers, steps)],
    ...levels.map((level) => ["Ramp", ramp === null ? undefined : describeRamp(level, ramp)] as const),
    ["Hold", hold && describeHold(hold)],
    ["Faults", listed(faults.map(formatFault))],
    ["Trials", describeTrials(scenario, steps)],
    ["Order", order === "random" ? `random, seed ${told(scenario.seed, formatCount)}` : undefined],
    ["Stop rules", listed(stopOn.map(({ source }) => source))],
    ["Warm-up", told(scenario.warmupMs, describeWarmup)],
    ["Timeout", told(scenario.timeoutMs, formatDuration)],
    ["Keep-alive", told(scenario.keepAlive, (isOn) => (isOn ? `on${each}` : "off"))],
    ["Connections go to", scenario.connectTo === undefined ? undefined : [code(scenario.connectTo)]],
    ["TLS", scenario.tls && describeTls(scenario.tls)],
    ["Certificates", scenario.insecure ? "any accepted" : undefined],
    ["Server-Timing", scenario.serverTiming ? "told and read" : undefined],
    ["Protocol", describeHttp(scenario)],
    ["Thresholds", listed(thresholds.map(({ source }) => source))],
    [
      "Margin",
      margin === null
        ? undefined
        : `${describeMargin({ margin })}, of failed requests ${describeErrorMargin(scenario)}`,
    ],
  ];
  return rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function describeTls({ version, resume, serverName, cert }: TlsSpec): string {
  return [
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(resume ? ["connections go on with sessions of earlier ones"] : []),
    ...(serverName === undefined ? [] : [`asked for as ${serverName}`]),
    ...(cert === undefined ? [] : [`with the certificate ${cert}`]),
  ].join(", ");
}

function describeTrials(scenario: ToldScenario, steps: readonly StepResult[]): string {
  const made = formatCount(plannedTrials(scenario, steps));
  return scenario.sequential === undefined
    ? made
    : `${made}, until all was decided or time was up; ${formatCount(scenario.trials)} at most`;
}

function told<Value>(value: Value | null, describe: (value: Value) => string): string {
  return value === null ? "not told, or not alike in all that was imported" : describe(value);
}

function describeWarmup(warmup: Scenario["warmupMs"]): string {
  if (warmup === "auto") return "until throughput is steady";
  return warmup === 0 ? "none" : formatDuration(warmup);
}

/** Who started the workers. */
const STARTED: Readonly<Record<Workers["from"], string>> = {
  ssh: "lbbench started them by ssh.",
  wait: "lbbench did not start them.",
};

/** `Load came from 3 machines: gen1, gen2 and gen3. lbbench started them by ssh.` */
function describeWorkers({ from, count, hosts = [] }: Workers, steps: readonly StepResult[]): string {
  const seen = steps.flatMap(({ workers = [] }) => workers.map(({ host }) => host));
  const machines = [...new Set(seen.length === 0 ? hosts : seen)];
  const workers = machines.length === count ? "" : `${countOf(count, "worker")}${machines.length === 0 ? "" : " on "}`;
  const named = machines.length === 0 ? "" : `${countOf(machines.length, "machine")}: ${joinWords(machines)}`;
  return `Load came from ${workers}${named}. ${STARTED[from]}`;
}

function describeGenerators({ generators, workers }: ToldScenario["engine"], steps: readonly StepResult[]): string {
  if (generators === null || workers !== undefined) return "";
  if (generators !== "auto") return `, ${countOf(generators, "process", "processes")}`;
  const split = steps.filter((step) => (step.generators ?? 1) > 1);
  const numbers = [...new Set(split.map((step) => step.generators ?? 1))].toSorted((a, b) => a - b);
  const places = numbers.map((number) => {
    const levels = split.filter((step) => step.generators === number).map(({ level }) => level);
    return `${number} at ${describeLoads([...new Map(levels.map((level) => [loadValue(level), level])).values()])}`;
  });
  return `, 1 process (auto)${places.length === 0 ? "" : `, but ${places.join(", ")}`}`;
}

/** Engines whose requests are no HTTP: what they call stands among their options. */
const NOT_HTTP: ReadonlySet<string> = new Set(["grpc", "websocket"]);

function describeRequests({ request, mix, targets, engine }: ToldScenario): readonly Setting[] {
  if (mix === null) {
    if (request === null) return [["Request", "method, headers and body are not told"]];
    if (targets.every((target) => NOT_HTTP.has((target.engine ?? engine).name))) {
      const sent = payloadOf(request);
      return [["Request", sent.length === 0 ? "the message that the engine sends where none is given" : join(sent)]];
    }
    const paths = [...new Set(targets.map((target) => ownPathOf(target) ?? request.path))];
    const [path] = paths;
    if (paths.length === 1 && path !== undefined) return [["Request", join(partsOf({ ...request, path }))]];
    return [
      ["Request", join(partsOf(request))],
      ["Paths", "that of the request; of a target that is a URL with a path its own"],
    ];
  }
  const total = sumOf(mix, ({ weight }) => weight);
  const requests = mix.map((entry): Setting => {
    const share: Inlines = [`weight ${entry.weight} (${formatPercent(entry.weight / total)} %)`];
    return ["Request", [strong(entry.name), ": ", ...join([share, ...partsOf(entry.request, entry.bodies)])]];
  });
  return targets.some((target) => ownPathOf(target) !== undefined)
    ? [...requests, ["Paths", "those of the requests; of a target that is a URL only the host counts"]]
    : requests;
}

/** What is sent, and what is expected. */
function partsOf(request: RequestSpec, bodies: MixedRequest["bodies"] = null): readonly (readonly Inline[])[] {
  const { method, path, expectStatus, expectBody } = request;
  return [
    [code(`${method} ${path}`)],
    ...payloadOf(request, bodies),
    ["expected status ", code(expectStatus)],
    ...(expectBody === null ? [] : [["expected body compared byte by byte"]]),
  ];
}

function payloadOf(
  { headers, body, bodyEncoding }: RequestSpec,
  bodies: MixedRequest["bodies"] = null,
): readonly (readonly Inline[])[] {
  return [
    ...(headers.length === 0 ? [] : [["headers ", ...codes(headers.map(([name, value]) => `${name}: ${value}`))]]),
    ...(body === null ? [] : [[`body of ${countOf(body.length, "character")}, ${bodyEncoding}`]]),
    ...(bodies === null ? [] : [[`${countOf(bodies.length, "body", "bodies")} in turn`]]),
  ];
}

function join(parts: readonly (readonly Inline[])[]): readonly Inline[] {
  return parts.flatMap((part, at) => (at === 0 ? part : ["; ", ...part]));
}

/** The programs that generated load, each once. */
function describePrograms({ steps, imported }: Result): readonly Setting[] {
  const programs = steps.flatMap(({ measurement }) => measurement?.program ?? []);
  const names = [...new Set(programs.map(({ name, version }) => (version === null ? name : `${name} ${version}`)))];
  const kept = imported === undefined ? "Its command and what it printed are" : "What it printed is";
  const about = `${names.join(", ")}. What it does not tell is shown as –. ${kept} kept in result.json, with each step.`;
  return names.length === 0 ? [] : [["Load program", about]];
}

function describeFile({ name, modifiedAt, runs }: ImportedFile): Setting {
  const file = name === "-" ? "standard input" : name;
  const changed = modifiedAt === null ? "" : `, last changed on ${formatTimestamp(modifiedAt)}`;
  return ["Imported from", `${file}: ${countOf(runs, "run")}${changed}`];
}

const GIBIBYTE = 1024 ** 3;

function describeMachine({ environment, scenario }: Result): readonly Setting[] {
  if (environment === null) return [];
  const { cpuModel, cores, memoryBytes, os, kernel, node, fdLimit, portRange, loadAverage } = environment;
  const memory = `${(memoryBytes / GIBIBYTE).toFixed(1)} GiB of memory`;
  const descriptors = fdLimit === null ? "unknown" : formatCount(fdLimit);
  const ports = portRange?.join(" to ") ?? "unknown";
  const load = `load average before the run ${loadAverage.toFixed(2)}`;
  const machine = scenario.engine.workers === undefined ? "Machine" : "Machine of lbbench";
  return [
    [machine, `${cpuModel}, ${countOf(cores, "core")}, ${memory}; ${load}`],
    ["System", `${os} ${kernel}, Node.js ${node}`],
    ["Limits", `file descriptors per process ${descriptors}, ports for connections ${ports}`],
  ];
}

function describeRepeat({ command, imported }: Result): Inlines {
  if (command !== null) return [code(command)];
  return marked(
    imported === undefined
      ? "The run was started from a program. `result.json` holds its whole scenario."
      : "The result was imported. What was printed is kept in `result.json`, with each step. The machine is not told.",
  );
}
