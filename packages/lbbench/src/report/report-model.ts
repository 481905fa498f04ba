import { compareByScenario, type ReferenceComparison } from "../judge/compare-targets.js";
import { conclude } from "../judge/conclusions.js";
import { CONCLUSIONS } from "../judge/findings.js";
import { findLimits } from "../judge/judge-search.js";
import type { Result } from "../model/result.js";
import type { RenderOptions, ReportFile } from "../plugin.js";
import { type Balancers, collectBalancers } from "./balancers.js";
import { type Cell, collectCells, collectRamps, type TargetRamp } from "./cells.js";
import type { ChartDefinition } from "./charts/chart-definition.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { collectFaults, type FaultRow } from "./faults.js";
import { hideSecrets } from "../stats/hide-secrets.js";

/** A result and what all parts of a report read from it. Each is computed when it is first read, once for all formats that share the model. */
export interface ReportModel {
  /** As it is stored, with its secrets. */
  readonly stored: Result;
  /** The same with its secrets hidden and without retired findings, as it is put into reports. */
  readonly hidden: Result;
  /** That as this version would have it: what texts and pictures are made of. */
  readonly result: Result;
  readonly cells: readonly Cell[];
  /** One for each target; none where the load does not rise. */
  readonly ramps: readonly TargetRamp[];
  /** What each fault that harms did to each target; none without faults. */
  readonly faults: readonly FaultRow[];
  /** Balancers side by side; none where the run has fewer than two. */
  readonly balancers: Balancers;
  /** How the targets compare with the reference, judged by the margin of the scenario; without a margin nothing is worse. */
  readonly comparison: ReferenceComparison;
  readonly charts: readonly ChartDefinition[];
}

/** A reporter that comes with lbbench. Several that render one model share its parts. */
export interface ModelReporter {
  readonly format: string;
  readonly render: (
    source: Result | ReportModel,
    options: RenderOptions,
  ) => readonly ReportFile[] | Promise<readonly ReportFile[]>;
}

/** Returns the model of a result. */
export function createReportModel(stored: Result): ReportModel {
  return lazily<ReportModel>({
    stored: () => stored,
    hidden: () => withoutRetired(hideSecrets(stored)),
    result: ({ hidden }) => ofThisVersion(hidden),
    cells: ({ result }) => collectCells(result),
    ramps: ({ result }) => collectRamps(result),
    faults: ({ result, cells }) => collectFaults(result, cells),
    balancers: ({ result, cells }) => collectBalancers(result, cells),
    comparison: ({ result }) => compareByScenario(result),
    charts: ({ result, comparison }) => chartDefinitions(result, comparison),
  });
}

/** Codes that earlier versions found. Their results stay readable; reports leave them out. */
const RETIRED: ReadonlySet<string> = new Set(["SCALABILITY"]);

const OF_SEARCHES: ReadonlySet<string> = new Set(["LIMIT_DOUBTFUL", "LIMIT_FOUND", "LIMIT_NOT_FOUND", "NOTHING_HELD"]);

function withoutRetired(result: Result): Result {
  const findings = result.verdict.findings.filter(({ code }) => !RETIRED.has(code));
  return { ...result, verdict: { ...result.verdict, findings } };
}

/** Concludes of a result of a version that did not what it shows. */
function ofThisVersion(result: Result): Result {
  const { verdict, finishedAt } = result;
  const { findings } = verdict;
  if (result.search !== undefined) {
    const others = findings.filter(({ code }) => !OF_SEARCHES.has(code));
    return { ...result, verdict: { ...verdict, findings: [...result.search.flatMap(findLimits), ...others] } };
  }
  if (findings.some(({ code }) => code === "PEAK" || code === "CONNECTIONS_HELD")) return result;
  const noticed = findings.filter(({ code }) => !CONCLUSIONS.has(code));
  const concluded = conclude(result, noticed, finishedAt === null ? undefined : compareByScenario(result));
  return { ...result, verdict: { ...verdict, findings: [...noticed, ...concluded] } };
}

/** Returns a model as it is, and the model of a result. */
export function modelOf(source: Result | ReportModel): ReportModel {
  return "stored" in source ? source : createReportModel(source);
}

/** Returns an object each of whose values is computed of others when it is first read. */
function lazily<Whole extends object>(compute: { readonly [Key in keyof Whole]: (whole: Whole) => Whole[Key] }): Whole {
  const whole = {} as Whole;
  for (const key of Object.keys(compute) as (keyof Whole)[]) {
    const settle = (): unknown => {
      const value = compute[key](whole);
      Object.defineProperty(whole, key, { value });
      return value;
    };
    Object.defineProperty(whole, key, { get: settle, configurable: true, enumerable: true });
  }
  return whole;
}
