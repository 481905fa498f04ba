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
import { groupBy } from "../stats/group-by.js";
import { levelKey, placeKey } from "../stats/identity.js";
import { loadValue } from "../stats/load.js";
import { addressOf } from "../stats/url-address.js";
import { ImportError, type ImportedRun } from "./imported-run.js";
import { countOf } from "../stats/count-of.js";

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

/**
 * Makes a result of imported runs, in their order, and judges it as any other; what they do not tell is `null` or absent. Runs of the
 * same target and level are its trials. Throws an `ImportError` where one of them is there twice.
 */
export function toResult(runs: readonly FiledRun[], settings: ImportSettings): Result {
  refuseRepeated(runs);
  const named = nameTargets(runs, settings.target);
  const scenario = toScenario(named, settings);
  const trials = new Map<string, number>();
  const steps = named.map((one): StepResult => {
    const place = placeKey({ target: one.target, level: levelOf(one.run) });
    const trial = (trials.get(place) ?? 0) + 1;
    trials.set(place, trial);
    const step = toStep(one, trial, settings.times);
    return { ...step, findings: judgeStep(step, scenario, null) };
  });
  const starts = named.map((one) => startOf(one, settings.times)).toSorted();
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

function toStep(
  { run, target, file }: NamedRun,
  trial: number,
  times: ReadonlyMap<string, string>,
): Omit<StepResult, "findings"> {
  const { program, version, figures, failure, connections, sockets, opened, doubts, output } = run;
  const place = { target, level: levelOf(run), trial, engine: program };
  if (figures === undefined) {
    return { ...place, state: "failed", error: { code: "PROGRAM_FAILED", message: failure ?? "it told no figures" } };
  }
  const { elapsedMs, requests } = figures;
  const measurement: Measurement = {
    startedAt: startOf({ run, file }, times),
    connections: { asked: sockets ?? connections, ...(opened === undefined ? {} : { opened }) },
    throughput: elapsedMs > 0 ? (requests.ok / elapsedMs) * 1000 : 0,
    timeline: [],
    ...figures,
    program: { name: program, version, command: null, output },
    ...(doubts.length === 0 ? {} : { doubts }),
  };
  return { ...place, state: "completed", measurement };
}

function startOf({ run, file }: Pick<FiledRun, "run" | "file">, times: ReadonlyMap<string, string>): string {
  return run.startedAt ?? times.get(file) ?? "";
}

function levelOf({ connections, amount }: ImportedRun): Level {
  return { connections, ...amount };
}

function toScenario(named: readonly NamedRun[], { name, thresholds }: ImportSettings): ToldScenario {
  const byTarget = groupBy(named, ({ target }) => target);
  const programs = [...new Set(named.map(({ run }) => run.program))];
  const [engine = ""] = programs;
  const targets = [...byTarget].map(([target, [first]]): Target => {
    const { program = engine, url } = first?.run ?? {};
    return {
      name: target,
      server: "url",
      options: url === undefined ? {} : { url },
      ...(program === engine ? {} : { engine: { name: program, options: {} } }),
    };
  });
  const levels = [...groupBy(named, ({ run }) => levelKey(levelOf(run))).values()]
    .flatMap(([first]) => (first === undefined ? [] : [levelOf(first.run)]))
    .toSorted((a, b) => loadValue(a) - loadValue(b));
  const cells = groupBy(named, ({ target, run }) => placeKey({ target, level: levelOf(run) }));
  const keepAlive = new Set(named.map(({ run }) => run.keepAlive));
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

/** A run, the file it came from, and where its output stands in it: `runs.txt:12-45`. */
interface FiledRun {
  readonly run: ImportedRun;
  readonly file: string;
  readonly place: string;
}

/** A run, and the target it is of. */
interface NamedRun extends FiledRun {
  readonly target: string;
}

/**
 * Says of which target each run is: of the URL it asked, or, where it does not tell one, of its file. Runs of another program, or some
 * with keep-alive and some without, are of another target, because their figures do not compare.
 *
 * @param name what to call the only target; throws a {@link ConfigError} where there are several.
 */
function nameTargets(runs: readonly FiledRun[], name?: string): readonly NamedRun[] {
  const described = runs.map((filed) => ({ ...filed, address: describe(filed) }));
  const named = described.map(({ address, ...one }): NamedRun => {
    const alike = described.filter((other) => other.address === address);
    const details = [
      ...(isOfSeveral(alike, ({ run }) => run.program) ? [one.run.program] : []),
      ...(isOfSeveral(alike, ({ run }) => run.keepAlive) ? [describeKeepAlive(one.run.keepAlive)] : []),
    ];
    return { ...one, target: `${address}${details.length === 0 ? "" : ` (${details.join(", ")})`}` };
  });
  if (name === undefined) return named;
  const targets = [...new Set(named.map(({ target }) => target))];
  if (targets.length === 1) return named.map((one) => ({ ...one, target: name }));
  throw new ConfigError(
    `--target: expected runs of one target, got some of ${targets.map((target) => JSON.stringify(target)).join(", ")}. ` +
      "Import them apart, or leave --target out",
  );
}

function describe({ run: { url, target, program }, file }: FiledRun): string {
  if (target !== undefined) return target;
  if (url === undefined) return file === "-" ? program : basename(file, extname(file));
  const { hostname, pathname, search } = new URL(url);
  return `${hostname}:${addressOf(url).port}${pathname}${search}`;
}

function isOfSeveral<One>(runs: readonly One[], of: (one: One) => unknown): boolean {
  return new Set(runs.map(of)).size > 1;
}

function describeKeepAlive(keepAlive: boolean | null): string {
  return keepAlive === null ? "keep-alive not told" : keepAlive ? "keep-alive" : "no keep-alive";
}

/**
 * Throws an {@link ImportError} that names both places where the output of one run is there twice: it would count as two trials, which
 * agree to the last digit.
 */
function refuseRepeated(runs: readonly FiledRun[]): void {
  const places = new Map<string, string>();
  for (const { run, place } of runs) {
    const { program } = run;
    for (const identity of identitiesOf(run)) {
      const first = places.get(identity);
      if (first !== undefined) {
        throw new ImportError(
          `${place}: expected another run than in ${first}, got the same one of ${program} again. It would count as another trial: leave one of them out`,
        );
      }
      places.set(identity, place);
    }
  }
}

/** What no two runs have in common. Those that gave up, or sent one request, may well have printed the same. */
function identitiesOf({ program, target, trial, url, startedAt, figures, output }: FiledRun["run"]): readonly string[] {
  if (figures === undefined || figures.requests.sent < 2) return [];
  const printed = JSON.stringify([program, target ?? null, trial ?? null, output.trim()]);
  return startedAt === undefined ? [printed] : [printed, JSON.stringify([program, url ?? null, startedAt])];
}

/** Who asks for a number of requests seldom asks for one with more digits than this before the zeros. */
const DIGITS = 3;

/**
 * Returns a sentence for each program and file with runs that look as if a time was asked for, and nobody told which: every one of them is a
 * level of its own, by its number of requests, and never a trial of another.
 */
export function noteCountedAmounts(runs: readonly FiledRun[]): readonly string[] {
  const counted = runs.filter(({ run }) => run.isAmountCounted === true);
  return [...groupBy(counted, ({ run, file }) => JSON.stringify([file, run.program])).values()].flatMap((alike) => {
    const [example] = alike.filter((one) => isLikelyTimed(one, counted));
    if (example === undefined) return [];
    const { run, file, place } = example;
    return [
      `${file}: ${run.program} does not tell whether a number of requests or a time was asked for, so that ${place} is of a level of ` +
        `${countOf(requestsOf(example), "request")}. If it was a time, say it with --duration, or put the command in the line before: ` +
        "then repetitions are trials of one level",
    ];
  });
}

/** Rounded to its connections, as hey does it, a number is none of a time either. */
function isLikelyTimed(one: FiledRun, others: readonly FiledRun[]): boolean {
  const { url, program, connections } = one.run;
  const requests = requestsOf(one);
  const digits = String(requests).replace(/0+$/, "").length;
  if (digits > DIGITS && (connections < 10 || requests % connections > 0)) return true;
  return others.some(
    (other) =>
      other.run.program === program &&
      other.run.url === url &&
      other.run.connections === connections &&
      requestsOf(other) !== requests &&
      Math.max(requestsOf(other), requests) < 2 * Math.min(requestsOf(other), requests),
  );
}

function requestsOf({ run: { amount } }: FiledRun): number {
  return "requests" in amount ? amount.requests : 0;
}
