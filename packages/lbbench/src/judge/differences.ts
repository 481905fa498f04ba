import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import type { HeaderLine, MixedRequest, RequestSpec, Target, ToldScenario } from "../model/scenario.js";
import { groupBy } from "../stats/group-by.js";

/** Differences that leave nothing to judge: what was measured is not of the same thing. */
export type PreventingCode =
  | "OTHER_MACHINE"
  | "OTHER_ENGINE"
  | "OTHER_REQUEST"
  | "OTHER_LOAD"
  /** The latencies of B are digit for digit those of A, although the runs are not the same. */
  | "IDENTICAL_FIGURES";

/** Everything in which two results, A and B, may differ beside their figures. */
export type DifferenceCode =
  | PreventingCode
  /** The operating system's kernel, Node.js, or lbbench itself. */
  | "OTHER_SOFTWARE"
  /** The server of a target, or its options. */
  | "OTHER_SERVER"
  | "TARGET_ONLY_IN_A"
  | "TARGET_ONLY_IN_B"
  | "LEVELS_ONLY_IN_A"
  | "LEVELS_ONLY_IN_B"
  /** The answers have other bytes, or the engines count other bytes, so that transfer rates do not compare. */
  | "BYTES_DIFFER"
  /** A result was imported, and does not tell something, so that it is not known whether the two differ in it. */
  | "NOT_TOLD"
  /** A run was interrupted. */
  | "NOT_COMPLETE"
  /** A and B hold the same measurements. */
  | "SAME_RUN";

type Value = string | number | boolean;

/** One thing in which two results differ beside their figures. */
export interface Difference {
  readonly code: DifferenceCode;
  /** `prevents`: what it touches is not judged. `note`: it is judged, and this may be part of the difference. */
  readonly effect: "prevents" | "note";
  /** What it is, in words of the result file: `cpuModel`, `header accept`. Absent where the code says it all. */
  readonly what?: string;
  /**
   * What A has, and what B has. Absent where the words might be secret or long: values of headers, bodies, options of
   * servers.
   */
  readonly a?: Value;
  readonly b?: Value;
  /** Name of the target that it touches, in B, or in A where B has none; absent when it touches all. */
  readonly target?: string;
  readonly levels?: readonly Level[];
}

const PREVENTING: ReadonlySet<string> = new Set<PreventingCode>([
  "OTHER_MACHINE",
  "OTHER_ENGINE",
  "OTHER_REQUEST",
  "OTHER_LOAD",
  "IDENTICAL_FIGURES",
]);

/** Whether a reason is a difference between two results that leaves them nothing to compare. */
export function isPreventingCode(code: string): code is PreventingCode {
  return PREVENTING.has(code);
}

type Kind = readonly [code: DifferenceCode, effect: Difference["effect"]];
const [MACHINE, ENGINE, REQUEST, LOAD, SOFTWARE, SERVER] = [
  ["OTHER_MACHINE", "prevents"],
  ["OTHER_ENGINE", "prevents"],
  ["OTHER_REQUEST", "prevents"],
  ["OTHER_LOAD", "prevents"],
  ["OTHER_SOFTWARE", "note"],
  ["OTHER_SERVER", "note"],
] as const;

/** One difference, if there is one; none where a side does not tell. */
function differ(
  [code, effect]: Kind,
  what: string,
  a: Value | null | undefined,
  b: Value | null | undefined,
): readonly Difference[] {
  return a === b || a === null || b === null || a === undefined || b === undefined
    ? []
    : [{ code, effect, what, a, b }];
}

/** One difference whose sides may be secret, or long. */
function differHidden([code, effect]: Kind, what: string, isSame: boolean): readonly Difference[] {
  return isSame ? [] : [{ code, effect, what }];
}

function differInKeys(kind: Kind, what: string, a: object, b: object): readonly Difference[] {
  const keys = differingKeys(a, b);
  return differHidden(kind, `${what} ${keys.join(", ")}`, keys.length === 0);
}

/** Whether two pieces of plain data are equal, whatever the order of the keys in their objects. */
function isSameData(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return Object.is(a, b);
  return differingKeys(a, b).length === 0;
}

/** Returns the keys under which two objects differ, in order of first appearance. */
function differingKeys(a: object, b: object): readonly string[] {
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return [...new Set([...left.keys(), ...right.keys()])].filter(
    (key) => left.has(key) !== right.has(key) || !isSameData(left.get(key), right.get(key)),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Part by which memory may differ on the same machine: a kernel keeps now more, now less of it for itself. */
const SAME_MEMORY = 0.05;

/** What two runs have to be alike in, and imported output may not tell. */
const OFTEN_UNTOLD: readonly (readonly [what: string, of: (result: Result) => unknown])[] = [
  ["machine", ({ environment }) => environment],
  ["request", ({ scenario }) => scenario.mix ?? scenario.request],
  ["keep-alive", ({ scenario }) => scenario.keepAlive],
  ["warm-up", ({ scenario }) => scenario.warmupMs],
  ["timeout", ({ scenario }) => scenario.timeoutMs],
  ["options of the engine", ({ scenario }) => scenario.engine.generators],
];

/** Returns in what two runs differ as a whole: the machine, what was asked and how; never values that might be secret. */
export function compareRuns(a: Result, b: Result): readonly Difference[] {
  const [machine, other] = [a.environment, b.environment];
  const memory = [machine?.memoryBytes ?? 0, other?.memoryBytes ?? 0];
  const isSameMemory = Math.max(...memory) - Math.min(...memory) <= SAME_MEMORY * Math.max(...memory);
  return [
    ...differ(MACHINE, "cpuModel", machine?.cpuModel, other?.cpuModel),
    ...differ(MACHINE, "cores", machine?.cores, other?.cores),
    ...(isSameMemory ? [] : differ(MACHINE, "memoryBytes", machine?.memoryBytes, other?.memoryBytes)),
    ...differ(MACHINE, "os", machine?.os, other?.os),
    ...compareAsked(a.scenario, b.scenario),
    ...compareLoads(a.scenario, b.scenario),
    ...differ(SOFTWARE, "kernel", machine?.kernel, other?.kernel),
    ...differ(SOFTWARE, "node", machine?.node, other?.node),
    ...differ(SOFTWARE, a.tool.name, a.tool.version, b.tool.version),
    ...noteOfEach(a, b, "NOT_TOLD", (result, side) => {
      const untold = OFTEN_UNTOLD.filter(([, of]) => of(result) === null).map(([what]) => what);
      return result.imported === undefined ? undefined : `${side}: ${untold.join(", ")}`;
    }),
    ...noteOfEach(a, b, "NOT_COMPLETE", ({ complete }, side) => (complete ? undefined : side)),
    ...(a.startedAt === b.startedAt && isSameData(a.steps, b.steps)
      ? [{ code: "SAME_RUN", effect: "note" } as const]
      : []),
  ];
}

function noteOfEach(
  a: Result,
  b: Result,
  code: DifferenceCode,
  describe: (result: Result, side: "A" | "B") => string | undefined,
): readonly Difference[] {
  const notes = [describe(a, "A"), describe(b, "B")];
  return notes.flatMap((what) => (what === undefined ? [] : [{ code, effect: "note", what } as const]));
}

function compareLoads(a: ToldScenario, b: ToldScenario): readonly Difference[] {
  const [ramp, other] = [a.ramp, b.ramp];
  return [
    ...differ(LOAD, "keepAlive", a.keepAlive, b.keepAlive),
    ...differ(LOAD, "warmupMs", a.warmupMs, b.warmupMs),
    ...differ(LOAD, "arrival.spacing", a.arrival?.spacing, b.arrival?.spacing),
    ...differ(LOAD, "arrival.maxInFlight", a.arrival?.maxInFlight, b.arrival?.maxInFlight),
    ...differ(LOAD, "ramp", ramp === null ? "none" : "some", other === null ? "none" : "some"),
    ...differ(LOAD, "ramp.from", ramp?.from, other?.from),
    ...differ(LOAD, "ramp.riseMs", ramp?.riseMs, other?.riseMs),
    ...differ(LOAD, "ramp.steps", ramp && (ramp.steps ?? "even"), other && (other.steps ?? "even")),
    ...differ(["OTHER_LOAD", "note"], "timeoutMs", a.timeoutMs, b.timeoutMs),
    ...differ(ENGINE, "generators", a.engine.generators, b.engine.generators),
  ];
}

/** In what the requests differ that two runs send, or the entries of their mixes, by name. */
function compareAsked(a: ToldScenario, b: ToldScenario): readonly Difference[] {
  if (a.mix === null && b.mix === null) {
    return a.request === null || b.request === null ? [] : compareRequests(a.request, b.request);
  }
  const sizeOf = (mix: ToldScenario["mix"]): string => (mix === null ? "none" : `of ${mix.length}`);
  if (a.mix === null || b.mix === null) return differ(REQUEST, "mix", sizeOf(a.mix), sizeOf(b.mix));
  const [left, right] = [a.mix, b.mix].map((mix) => new Map(mix.map((entry) => [entry.name, entry])));
  const onlyIn = (mix: readonly MixedRequest[], others: typeof left, side: string): readonly Difference[] =>
    mix
      .filter(({ name }) => !others?.has(name))
      .flatMap((entry) => differHidden(REQUEST, `${nameEntry(entry)} only in ${side}`, false));
  return [
    ...onlyIn(a.mix, right, "A"),
    ...onlyIn(b.mix, left, "B"),
    ...a.mix.flatMap((entry) => {
      const other = right?.get(entry.name);
      return other === undefined ? [] : underName(entry, compareEntries(entry, other));
    }),
    ...compareWeights(a.mix, b.mix),
  ];
}

function compareEntries(a: MixedRequest, b: MixedRequest): readonly Difference[] {
  const isSameEncoding = a.bodies === null || a.request.bodyEncoding === b.request.bodyEncoding;
  return [
    ...comparePaths(a.request.path, b.request.path),
    ...compareRequests(a.request, b.request),
    ...differHidden(REQUEST, "bodies", isSameData(a.bodies, b.bodies) && isSameEncoding),
  ];
}

const SAME_SHARE = 1e-9;

/** Weights count beside each other: half of 2 and 2 is that of 1 and 1. Nothing where the entries are not the same. */
function compareWeights(a: readonly MixedRequest[], b: readonly MixedRequest[]): readonly Difference[] {
  const totalOf = (mix: readonly MixedRequest[]): number => mix.reduce((sum, { weight }) => sum + weight, 0);
  const pairs = a.flatMap((entry) => {
    const other = b.find(({ name }) => name === entry.name);
    return other === undefined ? [] : [{ entry, other }];
  });
  const isSame = pairs.every(
    ({ entry, other }) => Math.abs(entry.weight / totalOf(a) - other.weight / totalOf(b)) <= SAME_SHARE,
  );
  if (isSame || pairs.length < Math.max(a.length, b.length)) return [];
  return pairs.flatMap(({ entry, other }) =>
    underName(entry, differ(REQUEST, "weight", String(entry.weight), String(other.weight))),
  );
}

function underName(entry: MixedRequest, differences: readonly Difference[]): readonly Difference[] {
  return differences.map((difference) => ({ ...difference, what: `${nameEntry(entry)}: ${difference.what ?? ""}` }));
}

/** A name that is made of a path has its query, which may hold secrets. */
function nameEntry({ name }: MixedRequest): string {
  return `mix, ${name.split("?", 1)[0] ?? ""}`;
}

/** Headers that say who asks, not for what; they often change from run to run. */
const CREDENTIALS = new Set(["authorization", "cookie", "proxy-authorization"]);

/** In what two requests differ. The path is not looked at, because a target that is a URL has its own. */
function compareRequests(a: RequestSpec, b: RequestSpec): readonly Difference[] {
  const isSameBody = a.body === b.body && (a.body === null || a.bodyEncoding === b.bodyEncoding);
  return [
    ...differ(REQUEST, "method", a.method, b.method),
    ...compareHeaders(a.headers, b.headers),
    ...differHidden(REQUEST, "body", isSameBody),
    ...differ(REQUEST, "expectStatus", a.expectStatus, b.expectStatus),
    ...differHidden(REQUEST, "expectBody", a.expectBody === b.expectBody),
  ];
}

function compareHeaders(a: readonly HeaderLine[], b: readonly HeaderLine[]): readonly Difference[] {
  const [left, right] = [a, b].map((lines) => groupBy(lines, ([name]) => name.toLowerCase()));
  const values = (lines: readonly HeaderLine[] | undefined): readonly string[] =>
    (lines ?? []).map(([, value]) => value);
  return [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])].flatMap((name) => {
    const isNoted = CREDENTIALS.has(name) && left?.has(name) && right?.has(name);
    const kind = ["OTHER_REQUEST", isNoted ? "note" : "prevents"] as const;
    return differHidden(kind, `header ${name}`, isSameData(values(left?.get(name)), values(right?.get(name))));
  });
}

/** In what two paths differ; their queries may hold secrets. */
function comparePaths(a: string, b: string): readonly Difference[] {
  const [[left = "", ...queryA], [right = "", ...queryB]] = [a.split("?"), b.split("?")];
  return [
    ...differ(REQUEST, "path", left, right),
    ...differHidden(REQUEST, "query", queryA.join("?") === queryB.join("?")),
  ];
}

/** Returns in what a target of A and one of B differ: what generates their load, what they are asked, and what they are. */
export function comparePairedTargets(
  a: ToldScenario,
  b: ToldScenario,
  [left, right]: readonly [Target, Target],
): readonly Difference[] {
  const engines = [left.engine ?? a.engine, right.engine ?? b.engine] as const;
  const isSameEngine = engines[0].name === engines[1].name;
  // Of imported output neither processes nor options are told.
  const hasOptions = a.engine.generators !== null && b.engine.generators !== null;
  const [pathA, pathB] = [askedPath(left, a), askedPath(right, b)];
  const differences: readonly Difference[] = [
    ...differ(ENGINE, "engine", engines[0].name, engines[1].name),
    ...(isSameEngine && hasOptions
      ? differInKeys(ENGINE, "engine options", engines[0].options, engines[1].options)
      : []),
    // The paths of a mix are its own, whatever the target is.
    ...(a.mix === null && b.mix === null && pathA !== null && pathB !== null ? comparePaths(pathA, pathB) : []),
    ...differ(SERVER, "server", left.server, right.server),
    ...(left.server === right.server ? differInKeys(SERVER, "options", left.options, right.options) : []),
  ];
  return differences.map((difference) => ({ ...difference, target: right.name }));
}

/** What is asked for: a URL with a path or a query of its own keeps them, as when it is measured; `null` where that is not told. */
function askedPath({ options: { url } }: Target, { request }: ToldScenario): string | null {
  const own = typeof url === "string" && URL.canParse(url) ? new URL(url) : undefined;
  if (own !== undefined && (request === null || own.pathname !== "/" || own.search !== "")) {
    return own.pathname + own.search;
  }
  return request?.path ?? null;
}
