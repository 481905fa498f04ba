import type { Result } from "../../model/result.js";
import type { SearchOutcome, TriedLevel } from "../../model/search.js";
import { loadValue } from "../../stats/load.js";
import { type Cell, countFailed, countFinished, medianLatency, medianOf } from "../cells.js";
import { loadWords } from "../describe-level.js";
import { describeMissed } from "../describe-search.js";
import { formatCount, formatPercent, formatRate, formatTime } from "../format-number.js";
import { type Block, type Column, createTable, NO_FIGURE, numberColumn, paragraph } from "./block.js";

/** What a search found for a target, with the figures of the levels that it names. */
interface Limit {
  readonly outcome: SearchOutcome;
  readonly held: Cell | undefined;
  readonly beyond: Cell | undefined;
  /** Where throughput stops growing, or levels off; `null` where that was not seen. */
  readonly knee: number | null;
}

/**
 * Returns what a search found, a row for each target: the largest load that held, the smallest that did not and why, what was measured
 * at the first, where throughput stops growing, and how the run beyond the limit ended. Nothing of a sweep.
 */
export function limitTable(result: Result, cells: readonly Cell[]): readonly Block[] {
  const limits = collectLimits(result, cells);
  if (limits.length === 0) return [];
  const { column } = loadWords(result.scenario.levels);
  const factor = result.scenario.search?.beyond ?? null;
  const columns: readonly Column<Limit>[] = [
    { head: "Target", align: "left", cell: ({ outcome }) => outcome.target },
    numberColumn(`${column}: most that held`, ({ outcome }) => outcome.held, formatCount),
    numberColumn("Did not hold", ({ outcome }) => outcome.broken, formatCount),
    { head: "Because", align: "left", cell: ({ outcome }) => describeMissed(outcome) || NO_FIGURE },
    ...figuresAtLimit(),
    ...kneeColumn(limits),
    ...beyondColumns(limits, factor),
  ];
  const lead = "The largest load that held, and what was measured there:";
  return [
    createTable({ caption: "Largest load that held", lead }, columns, limits),
    ...(limits.some(({ knee }) => knee !== null)
      ? [
          paragraph(
            "Knee: the load from which on throughput stops growing, so that whoever comes more only waits longer.",
          ),
        ]
      : []),
  ];
}

function collectLimits(result: Result, cells: readonly Cell[]): readonly Limit[] {
  const { search = [], verdict } = result;
  if (search.length === 0) return [];
  const cellAt = (target: string, value: number | undefined | null): Cell | undefined =>
    cells.find((cell) => cell.target === target && loadValue(cell.level) === value);
  return search.map((outcome): Limit => {
    const knee = verdict.findings.find(({ code, args }) => code === "KNEE" && args["target"] === outcome.target);
    const load = knee?.args["knee"];
    return {
      outcome,
      held: cellAt(outcome.target, outcome.held),
      beyond: cellAt(outcome.target, outcome.beyond?.value),
      knee: typeof load === "number" ? load : null,
    };
  });
}

function figuresAtLimit(): readonly Column<Limit>[] {
  const latency = (key: "mean" | "p99", head: string): Column<Limit> =>
    numberColumn(head, ({ held }) => (held === undefined ? null : medianLatency(held, key)), formatTime);
  const throughput = ({ held }: Limit): number | null =>
    held === undefined ? null : medianOf(held, (measurement) => measurement.throughput);
  return [
    numberColumn("Requests/s", throughput, formatRate, "ok responses only"),
    latency("mean", "Mean (ms)"),
    latency("p99", "p99 (ms)"),
  ];
}

function kneeColumn(limits: readonly Limit[]): readonly Column<Limit>[] {
  if (limits.every(({ knee }) => knee === null)) return [];
  return [
    numberColumn(
      "Knee",
      ({ knee }) => knee,
      (load) => `about ${formatCount(load)}`,
    ),
  ];
}

function beyondColumns(limits: readonly Limit[], factor: number | null): readonly Column<Limit>[] {
  if (factor === null || limits.every(({ beyond }) => beyond === undefined)) return [];
  const share = ({ beyond }: Limit): number | null =>
    beyond === undefined || countFinished(beyond) === 0 ? null : countFailed(beyond) / countFinished(beyond);
  return [
    { head: `Beyond (× ${factor})`, align: "right", cell: ({ outcome }) => describeBeyond(outcome.beyond) },
    numberColumn("Failed there (%)", share, formatPercent),
    numberColumn(
      "Mean there (ms)",
      ({ beyond }) => (beyond === undefined ? null : medianLatency(beyond, "mean")),
      formatTime,
      "of ok responses",
    ),
  ];
}

function describeBeyond(beyond: TriedLevel | null): string {
  return beyond === null ? NO_FIGURE : formatCount(beyond.value);
}
