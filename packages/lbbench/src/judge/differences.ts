import type { Level } from "../model/level.js";
import type { Result } from "../model/result.js";
import type { HeaderLine, MixedRequest, RequestSpec, Target, ToldScenario } from "../model/scenario.js";
import { sumOf } from "../stats/descriptive.js";
import { formatFault } from "../stats/faults.js";
import { isRecord } from "../stats/plain-data.js";

const PREVENTING = [
  "OTHER_MACHINE",
  "OTHER_ENGINE",
  "OTHER_REQUEST",
  "OTHER_LOAD",
  // The latencies of B are digit for digit those of A, although the runs are not the same.
  "IDENTICAL_FIGURES",
] as const;

/** Differences that leave nothing to judge: what was measured is not of the same thing. */
export type PreventingCode = (typeof PREVENTING)[number];

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

type Kind = readonly [code: DifferenceCode, effect: Difference["effect"]];
const MACHINE: Kind = ["OTHER_MACHINE", "prevents"];
const ENGINE: Kind = ["OTHER_ENGINE", "prevents"];
const REQUEST: Kind = ["OTHER_REQUEST", "prevents"];
const LOAD: Kind = ["OTHER_LOAD", "prevents"];
const SOFTWARE: Kind = ["OTHER_SOFTWARE", "note"];
const SERVER: Kind = ["OTHER_SERVER", "note"];

/** Whether a reason is a difference between two results that leaves them nothing to compare. */
export function isPreventingCode(code: string): code is PreventingCode {
  return PREVENTING.some((one) => one === code);
}

/** One difference, if there is one; none where a side does not tell. */
function differ(
  [code, effect]: Kind,
  what: string,
  a: Value | null | undefined,
  b: Value | null | undefined,
): readonly Difference[] {
  const isTold = a !== null && b !== null && a !== undefined && b !== undefined;
  return isTold && a !== b ? [{ code, effect, what, a, b }] : [];
}

/** One difference whose sides may be secret, or long. */
function differHidden([code, effect]: Kind, what: string, isSame = false): readonly Difference[] {
  return isSame ? [] : [{ code, effect, what }];
}

function differInKeys(kind: Kind, what: string, a: object, b: object): readonly Difference[] {
  const keys = differingKeys(a, b);
  return differHidden(kind, `${what} ${keys.join(", ")}`, keys.length === 0);
}

/** Whether two pieces of plain data are equal, whatever the order of the keys in their objects. */
function isSameData(a: unknown, b: unknown): boolean {
  if (!isRecord(a) || !isRecord(b)) return Object.is(a, b);
  return Array.isArray(a) === Array.isArray(b) && differingKeys(a, b).length === 0;
}

/** Returns the keys under which two objects differ, in order of first appearance. */
function differingKeys(a: object, b: object): readonly string[] {
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  return keys.filter((key) => !isSameData(left.get(key), right.get(key)) || left.has(key) !== right.has(key));
}

/** What two runs are compared in as a whole. */
const ROWS: readonly (readonly [kind: Kind, what: string, of: (result: Result) => Value | null | undefined])[] = [
  [MACHINE, "cpuModel", ({ environment }) => environment?.cpuModel],
  [MACHINE, "cores", ({ environment }) => environment?.cores],
  [MACHINE, "os", ({ environment }) => environment?.os],
  [LOAD, "httpVersion", ({ scenario }) => scenario.httpVersion],
  [LOAD, "keepAlive", ({ scenario }) => scenario.keepAlive],
  [LOAD, "requestsPerConnection", ({ scenario }) => scenario.requestsPerConnection ?? "any"],
  [
    LOAD,
    "tls",
    ({ scenario: { tls = {} } }) =>
      [tls.version, tls.resume && "resumed", tls.cert && "client certificate"].filter(Boolean).join(", ") || "usual",
  ],
  [LOAD, "warmupMs", ({ scenario }) => scenario.warmupMs],
  // Of files that do not tell it targets lived for a step, but for imported output, which has no order either.
  [LOAD, "restart", ({ scenario: { restart, order } }) => restart ?? (order && "step")],
  [LOAD, "arrival.spacing", ({ scenario }) => scenario.arrival?.spacing],
  [LOAD, "arrival.maxInFlight", ({ scenario }) => scenario.arrival?.maxInFlight],
  [LOAD, "ramp", ({ scenario }) => (scenario.ramp === null ? "none" : "some")],
  [LOAD, "ramp.from", ({ scenario }) => scenario.ramp?.from],
  [LOAD, "ramp.riseMs", ({ scenario }) => scenario.ramp?.riseMs],
  [LOAD, "ramp.steps", ({ scenario: { ramp } }) => ramp && (ramp.steps ?? "even")],
  [LOAD, "hold.everyMs", ({ scenario }) => scenario.hold?.everyMs ?? "none"],
  [LOAD, "hold.burst", ({ scenario }) => scenario.hold?.burst ?? "none"],
  [LOAD, "faults", ({ scenario: { faults = [] } }) => faults.map(formatFault).join(", ") || "none"],
  [["OTHER_LOAD", "note"], "serverTiming", ({ scenario }) => String(scenario.serverTiming ?? false)],
  [["OTHER_LOAD", "note"], "insecure", ({ scenario }) => String(scenario.insecure ?? false)],
  [["OTHER_LOAD", "note"], "timeoutMs", ({ scenario }) => scenario.timeoutMs],
  [ENGINE, "generators", ({ scenario: { engine } }) => (engine.workers === undefined ? engine.generators : null)],
  [ENGINE, "workers", ({ scenario: { engine } }) => engine.generators && (engine.workers?.count ?? "none")],
  [SOFTWARE, "kernel", ({ environment }) => environment?.kernel],
  [SOFTWARE, "node", ({ environment }) => environment?.node],
];

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
  const memory = [a, b].map(({ environment }) => environment?.memoryBytes);
  const [least = 0, most = 0] = memory.map((bytes) => bytes ?? 0).toSorted((one, other) => one - other);
  const sides = [
    { result: a, side: "A" },
    { result: b, side: "B" },
  ];
  const untold = sides.flatMap(({ result, side }) => {
    const names = OFTEN_UNTOLD.filter(([, of]) => of(result) === null).map(([what]) => what);
    return result.imported === undefined ? [] : differHidden(["NOT_TOLD", "note"], `${side}: ${names.join(", ")}`);
  });
  return [
    ...ROWS.flatMap(([kind, what, of]) => differ(kind, what, of(a), of(b))),
    ...(most - least <= SAME_MEMORY * most ? [] : differ(MACHINE, "memoryBytes", memory[0], memory[1])),
    ...compareAsked(a.scenario, b.scenario),
    ...differHidden(SERVER, "connectTo", a.scenario.connectTo === b.scenario.connectTo),
    ...differ(SOFTWARE, a.tool.name, a.tool.version, b.tool.version),
    ...untold,
    ...sides.flatMap(({ result, side }) => differHidden(["NOT_COMPLETE", "note"], side, result.complete)),
    ...(a.startedAt === b.startedAt && isSameData(a.steps, b.steps)
      ? [{ code: "SAME_RUN", effect: "note" } as const]
      : []),
  ];
}

/** In what the requests differ that two runs send, or the entries of their mixes, by name. */
function compareAsked(a: ToldScenario, b: ToldScenario): readonly Difference[] {
  if (a.mix === null || b.mix === null) {
    const [size, other] = [a, b].map(({ mix }) => (mix === null ? "none" : `of ${mix.length}`));
    return a.request === null || b.request === null || size !== other
      ? differ(REQUEST, "mix", size, other)
      : compareRequests(a.request, b.request);
  }
  const [left, right] = [a.mix, b.mix].map((mix) => new Map(mix.map((entry) => [entry.name, entry])));
  const names = [...new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])])];
  const isSameSet = names.every((name) => left?.has(name) && right?.has(name));
  return names.flatMap((name) => {
    const [one, other] = [left?.get(name), right?.get(name)];
    // A name that is made of a path has its query, which may hold secrets.
    const place = `mix, ${name.split("?", 1)[0] ?? ""}`;
    if (one === undefined || other === undefined)
      return differHidden(REQUEST, `${place} only in ${one === undefined ? "B" : "A"}`);
    // Weights count beside each other: half of 2 and 2 is that of 1 and 1.
    const isSameShare = Math.abs(shareOf(one, a.mix) - shareOf(other, b.mix)) <= SAME_SHARE;
    const isSameEncoding = one.bodies === null || one.request.bodyEncoding === other.request.bodyEncoding;
    return [
      ...comparePaths(one.request.path, other.request.path),
      ...compareRequests(one.request, other.request),
      ...differHidden(REQUEST, "bodies", isSameData(one.bodies, other.bodies) && isSameEncoding),
      ...(isSameShare || !isSameSet ? [] : differ(REQUEST, "weight", String(one.weight), String(other.weight))),
    ].map((difference) => ({ ...difference, what: `${place}: ${difference.what ?? ""}` }));
  });
}

const SAME_SHARE = 1e-9;

function shareOf({ weight }: MixedRequest, mix: readonly MixedRequest[] | null): number {
  return weight / sumOf(mix ?? [], (entry) => entry.weight);
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
  const valuesOf = (lines: readonly HeaderLine[], header: string): readonly string[] =>
    lines.flatMap(([name, value]) => (name.toLowerCase() === header ? [value] : []));
  const names = new Set([...a, ...b].map(([name]) => name.toLowerCase()));
  return [...names].flatMap((name) => {
    const [left, right] = [valuesOf(a, name), valuesOf(b, name)];
    const isNoted = CREDENTIALS.has(name) && left.length > 0 && right.length > 0;
    const kind = ["OTHER_REQUEST", isNoted ? "note" : "prevents"] as const;
    return differHidden(kind, `header ${name}`, isSameData(left, right));
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
