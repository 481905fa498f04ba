import { basename, extname } from "node:path";
import { ConfigError } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import { judgeResult } from "../judge/judge-result.js";
import { judgeStep } from "../judge/judge-step.js";
import type { Level } from "../model/level.js";
import type { Measurement } from "../model/measurement.js";
import type { ImportedFile, Result, StepResult } from "../model/result.js";
import type { Target, ToldScenario } from "../model/scenario.js";
import type { Threshold } from "../model/threshold.js";
import { countOf } from "../stats/format-number.js";
import { groupBy } from "../stats/group-by.js";
import { distinctLevels, placeKey } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import { addressOf } from "../stats/url-address.js";
import type { ReadRun } from "./imported-run.js";
import { toldOf } from "./figures.js";
import { defined } from "../stats/defined.js";

/** What a result is made of beside the runs. */
interface ImportSettings {
  readonly tool: Result["tool"];
  readonly name: string;
  /** What to call the only target. */
  readonly target?: string;
  readonly thresholds: readonly Threshold[];
  readonly files: readonly ImportedFile[];
  /** When runs were made that do not tell it, by file, ISO 8601. */
  readonly times: ReadonlyMap<string, string>;
}

/** Makes a result of imported runs and judges it as any other; what they do not tell is `null` or absent. Runs of the same target and level are its trials. */
export function toResult(runs: readonly ReadRun[], settings: ImportSettings): Result {
  const dated = runs.map((run) => ({ ...run, startedAt: run.startedAt ?? settings.times.get(run.file) ?? "" }));
  const named = nameTargets(dated, settings.target);
  const scenario = toScenario(named, settings);
  const trials = new Map<string, number>();
  const steps = named.map((one): StepResult => {
    const trial = (trials.get(placeKey(one)) ?? 0) + 1;
    trials.set(placeKey(one), trial);
    const step = toStep(one, trial);
    return { ...step, findings: judgeStep(step, scenario, null) };
  });
  const starts = dated.map(({ startedAt }) => startedAt).toSorted();
  const result = {
    version: 1,
    tool: settings.tool,
    startedAt: starts[0] ?? "",
    finishedAt: starts.at(-1) ?? "",
    complete: true,
    command: null,
    imported: { files: settings.files },
    scenario,
    environment: null,
    steps,
  } as const;
  return { ...result, verdict: judgeResult(result) };
}

function toStep(run: NamedRun, trial: number): Omit<StepResult, "findings"> {
  const { program, version = null, figures, failure, connections, sockets, opened, doubts = [], output } = run;
  const place = { target: run.target, level: run.level, trial, engine: program };
  if (figures === undefined) {
    return { ...place, state: "failed", error: { code: "PROGRAM_FAILED", message: failure ?? "it told no figures" } };
  }
  const { elapsedMs, requests } = figures;
  const measurement: Measurement = {
    startedAt: run.startedAt ?? "",
    connections: { asked: sockets ?? connections ?? 0, ...defined({ opened }) },
    throughput: elapsedMs > 0 ? (requests.ok / elapsedMs) * 1000 : 0,
    timeline: [],
    statusCodes: {},
    errorCodes: {},
    bytes: {},
    ...figures,
    program: { name: program, version, command: null, output },
    ...defined({ doubts: doubts.length === 0 ? undefined : doubts }),
  };
  return { ...place, state: "completed", measurement };
}

function toScenario(named: readonly NamedRun[], { name, thresholds }: ImportSettings): ToldScenario {
  const byTarget = groupBy(named, ({ target }) => target);
  const programs = [...new Set(named.map(({ program }) => program))];
  const [engine = ""] = programs;
  const targets = [...byTarget].map(([target, [first]]): Target => {
    const { program = engine, url } = first ?? {};
    return {
      name: target,
      server: "url",
      options: url === undefined ? {} : { url },
      ...defined({ engine: program === engine ? undefined : { name: program, options: {} } }),
    };
  });
  const levels = distinctLevels(named.map(({ level }) => level)).toSorted((a, b) => loadValue(a) - loadValue(b));
  const cells = groupBy(named, placeKey);
  const keepAlive = new Set(named.map(({ keepAlive: is = null }) => is));
  return {
    name,
    targets,
    reference: targets.length > 1 ? (targets[0]?.name ?? null) : null,
    request: null,
    mix: null,
    httpVersion: null,
    levels,
    // Of the level that has the fewest: every other one has as many.
    trials: Math.min(...[...cells.values()].map(({ length }) => length)),
    warmupMs: null,
    timeoutMs: null,
    keepAlive: keepAlive.size === 1 ? ([...keepAlive][0] ?? null) : null,
    arrival: null,
    ramp: null,
    engine: { name: engine, options: {}, generators: null },
    thresholds,
    margin: null,
    errorMargin: DEFAULTS.errorMargin,
    stopOn: [],
    order: null,
    seed: null,
    search: null,
  };
}

/** A run, and the target and level it is of. */
interface NamedRun extends ReadRun {
  readonly target: string;
  readonly level: Level;
}

/** What tells runs of one address apart, because their figures do not compare; more is told only where less does not. */
const DETAILS: readonly ((run: ReadRun) => string)[] = [
  ({ program }) => program,
  ({ keepAlive = null }) => (keepAlive === null ? "keep-alive not told" : keepAlive ? "keep-alive" : "no keep-alive"),
];

/**
 * Says of which target each run is: of the URL it asked, or, where it does not tell one, of its file. Runs of another program, or some
 * with keep-alive and some without, are of another target, because their figures do not compare.
 *
 * @param name what to call the only target; throws a {@link ConfigError} where there are several.
 */
function nameTargets(runs: readonly ReadRun[], name?: string): readonly NamedRun[] {
  const files = nameFiles(new Set(runs.map(({ file }) => file)));
  const addressOfRun = (run: ReadRun): string => addressOfUrl(run) ?? files.get(run.file) ?? run.program;
  const byAddress = groupBy(runs, addressOfRun);
  const named = runs.map((run): NamedRun => {
    const address = addressOfRun(run);
    const details: string[] = [];
    let alike = byAddress.get(address) ?? [];
    for (const detailOf of DETAILS) {
      const detail = detailOf(run);
      const same = alike.filter((one) => detailOf(one) === detail);
      if (same.length < alike.length) details.push(detail);
      alike = same;
    }
    // They may be of different levels, and are no trials of one.
    if (run.connections === undefined && alike.length > 1) details.push(run.place);
    const { connections, amount } = run;
    const level = toldOf({ connections, requests: amount.requests, durationMs: amount.durationMs });
    return { ...run, level, target: `${address}${details.length === 0 ? "" : ` (${details.join(", ")})`}` };
  });
  if (name === undefined) return named;
  const targets = [...new Set(named.map(({ target }) => target))];
  if (targets.length === 1) return named.map((one) => ({ ...one, target: name }));
  throw new ConfigError(
    `--target: expected runs of one target, got some of ${targets.map((target) => JSON.stringify(target)).join(", ")}. ` +
      "Import them apart, or leave --target out",
  );
}

function addressOfUrl({ url }: ReadRun): string | undefined {
  if (url === undefined) return undefined;
  const { hostname, pathname, search } = new URL(url);
  return `${hostname}:${addressOf(url).port}${pathname}${search}`;
}

/**
 * What files are called: without folder and extension, where no other file could be called the same, or else with one of them or both,
 * so that different files have different names. The standard input has none.
 */
function nameFiles(files: ReadonlySet<string>): ReadonlyMap<string, string> {
  const named = [...files].filter((file) => file !== "-");
  const candidatesOf = (file: string): readonly string[] => {
    const withoutExtension = file.slice(0, file.length - extname(file).length);
    return [basename(withoutExtension), basename(file), withoutExtension];
  };
  const isFree = (name: string, of: string): boolean =>
    named.every((file) => file === of || (file !== name && !candidatesOf(file).includes(name)));
  return new Map(named.map((file) => [file, candidatesOf(file).find((name) => isFree(name, file)) ?? file]));
}

/**
 * Leaves out repeated runs, which would count as trials that agree to the last digit, with a sentence for each. Runs that gave up, or sent
 * one request, may well have printed the same.
 */
export function withoutRepeated(runs: readonly ReadRun[]): {
  readonly runs: readonly ReadRun[];
  readonly notes: readonly string[];
} {
  const places = new Map<string, string>();
  const notes: string[] = [];
  const kept = runs.filter(({ program, url, startedAt, figures, output, place }) => {
    if (figures === undefined || figures.requests.sent < 2) return true;
    const identities = [output.replaceAll(/\s+/g, " "), ...(startedAt === undefined ? [] : [`${url} ${startedAt}`])];
    const keys = identities.map((identity) => `${program} ${identity}`);
    const first = keys.flatMap((key) => places.get(key) ?? [])[0];
    for (const key of keys) places.set(key, first ?? place);
    if (first !== undefined) notes.push(`${place}: left out, because it is the run of ${first} again`);
    return first === undefined;
  });
  return { runs: kept, notes };
}

const MOST_LISTED = 3;

/**
 * Returns, for each target, a sentence where several files have runs of one level of it, which count as its trials: one address may have
 * been that of one server after the other.
 */
export function noteTrials(runs: readonly ReadRun[]): readonly string[] {
  return [...groupBy(nameTargets(runs), ({ target }) => target)].flatMap(([target, ofTarget]) => {
    const cells = [...groupBy(ofTarget, placeKey).values()];
    const shared = cells.map((cell) => new Set(cell.map(({ file }) => file))).filter(({ size }) => size > 1);
    const files = [...new Set(shared.flatMap((some) => [...some]))];
    if (files.length === 0) return [];
    const others = countOf(files.length - 1, "other file");
    const listed = files.length > MOST_LISTED ? `${files[0]} and ${others}` : files.join(", ");
    return [
      `${listed}: their runs count as trials of one target, ${target}. If they are of several servers, import each file alone, ` +
        "with --target and -o, and run lbbench compare",
    ];
  });
}

/** Numbers of requests that users ask for seldom have more digits than this before the zeros. */
const DIGITS = 3;

/**
 * Returns, for each program and file, a sentence for runs that look as if a time was asked for, and nothing tells which: each of them is a
 * level of its own, by its number of requests. And one for those that do not tell their connections.
 */
export function noteUntold(runs: readonly ReadRun[]): readonly string[] {
  return [...groupBy(runs, ({ program, file }) => JSON.stringify([file, program])).values()].flatMap((alike) => {
    const counted = alike.find(
      ({ isAmountCounted, amount: { requests = 0 } }) =>
        isAmountCounted === true && String(requests).replace(/0+$/, "").length > DIGITS,
    );
    const untold = alike.find(({ connections }) => connections === undefined);
    return [
      counted &&
        `${counted.file}: ${counted.program} does not tell whether a number of requests or a time was asked for, so that ` +
          `${counted.place} is of a level of ${countOf(counted.amount.requests ?? 0, "request")}. If it was a time, say it with ` +
          "--duration, or put the command in the line before: then repetitions are trials of one level",
      untold &&
        `${untold.file}: ${untold.place} does not tell its connections. Say them with --connections, or put the command in the line ` +
          `before ("$ ${untold.program} -c 50 http://...")`,
    ].flatMap((note) => note ?? []);
  });
}
