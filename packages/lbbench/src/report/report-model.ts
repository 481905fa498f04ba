import { compareByScenario, type ReferenceComparison } from "../judge/compare-targets.js";
import type { Result } from "../model/result.js";
import type { RenderOptions, ReportFile } from "../plugin.js";
import { type Cell, collectCells, collectRamps, type TargetRamp } from "./cells.js";
import type { ChartDefinition } from "./charts/chart-definition.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import type { ReportSection } from "./document/block.js";
import { collectFaults, type FaultRow } from "./faults.js";
import { hideSecrets } from "./hide-secrets.js";

/** A result and what all parts of a report read from it. Each is computed when it is first read, once for all formats that share the model. */
export interface ReportModel {
  /** As it is stored, with its secrets. */
  readonly stored: Result;
  /** With its secrets hidden: what texts and pictures are made of. */
  readonly result: Result;
  readonly cells: readonly Cell[];
  /** One for each target; none where the load does not rise. */
  readonly ramps: readonly TargetRamp[];
  /** What each fault that harms did to each target; none without faults. */
  readonly faults: readonly FaultRow[];
  /** How the targets compare with the reference, judged by the margin of the scenario; without a margin nothing is worse. */
  readonly comparison: ReferenceComparison;
  readonly charts: readonly ChartDefinition[];
}

/** A reporter that comes with lbbench; those that render one model compute what they share once. */
export interface ModelReporter {
  readonly format: string;
  readonly render: (
    source: Result | ReportModel,
    options: RenderOptions,
  ) => readonly ReportFile[] | Promise<readonly ReportFile[]>;
}

/** Makes a part of the report; `null` when it has nothing to say. */
export type Section = (model: ReportModel) => ReportSection | null;

/** Returns the model of a result. */
export function createReportModel(stored: Result): ReportModel {
  const result = once(() => hideSecrets(stored));
  const cells = once(() => collectCells(result()));
  const ramps = once(() => collectRamps(result()));
  const faults = once(() => collectFaults(result(), cells()));
  const comparison = once(() => compareByScenario(result()));
  const charts = once(() => chartDefinitions(result(), comparison()));
  return {
    stored,
    get result() {
      return result();
    },
    get cells() {
      return cells();
    },
    get ramps() {
      return ramps();
    },
    get faults() {
      return faults();
    },
    get comparison() {
      return comparison();
    },
    get charts() {
      return charts();
    },
  };
}

/** Returns a model as it is, and the model of a result. */
export function modelOf(source: Result | ReportModel): ReportModel {
  return "stored" in source ? source : createReportModel(source);
}

function once<Value>(compute: () => Value): () => Value {
  let value: { readonly it: Value } | undefined;
  return () => (value ??= { it: compute() }).it;
}
