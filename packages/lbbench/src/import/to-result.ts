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
import type { ImportedRun } from "./imported-run.js";
import { nameTargets, type FiledRun, type NamedRun } from "./name-targets.js";
import { refuseRepeated } from "./refuse-repeated.js";

/** What a result is made of beside the runs. */
export interface ImportSettings {
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
