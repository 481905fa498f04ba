import type { Result } from "../../model/result.js";
import { loadValue } from "../../stats/load.js";
import { type Cell } from "../cells.js";
import { loadWords } from "../describe-level.js";
import { describeMissed } from "../describe-search.js";
import { figureColumn } from "../figure-columns.js";
import { formatCount } from "../../stats/format-number.js";
import { type Block, type Column, createTable, NO_FIGURE, numberColumn, paragraph, wordColumn } from "./block.js";

/** What a search found, a row for each target, with what was measured at the largest load that held. Nothing of a sweep. */
export function limitTable({ search = [], verdict, scenario }: Result, cells: readonly Cell[]): readonly Block[] {
  if (search.length === 0) return [];
  const limits = search.map((outcome) => {
    const { target, held, beyond } = outcome;
    const cellAt = (value: number | undefined | null): Cell | undefined =>
      cells.find((cell) => cell.target === target && loadValue(cell.level) === value);
    // Where throughput stops growing, or levels off; `null` where that was not seen.
    const knee = verdict.findings.find(({ code, args }) => code === "KNEE" && args["target"] === target)?.args["knee"];
    return { outcome, held: cellAt(held), beyond: cellAt(beyond?.value), knee: typeof knee === "number" ? knee : null };
  });
  const hasKnee = limits.some(({ knee }) => knee !== null);
  const factor = limits.some(({ beyond }) => beyond !== undefined) ? (scenario.search?.beyond ?? null) : null;
  // No more than the largest value is tried.
  const isCut = limits.some(
    ({ outcome: { held, beyond } }) => (beyond?.value ?? Infinity) < Math.round((held ?? 0) * (factor ?? 1)),
  );
  const kneeText = (load: number): string => `about ${formatCount(load)}`;
  type Limit = (typeof limits)[number];
  const columns: readonly Column<Limit>[] = [
    wordColumn("Target", ({ outcome }) => outcome.target),
    numberColumn(`${loadWords(scenario.levels).column}: most that held`, ({ outcome }) => outcome.held, formatCount),
    numberColumn("Did not hold", ({ outcome }) => outcome.broken, formatCount),
    wordColumn("Because", ({ outcome }) => describeMissed(outcome) || NO_FIGURE),
    ...["throughput_per_s", "latency_mean_ms", "latency_p99_ms"].map((key) =>
      figureColumn<Limit>(key, ({ held }) => held),
    ),
    ...(hasKnee ? [numberColumn<Limit>("Knee", ({ knee }) => knee, kneeText)] : []),
    ...(factor === null
      ? []
      : [
          numberColumn<Limit>(
            `Beyond (${isCut ? "up to " : ""}× ${factor})`,
            ({ outcome }) => outcome.beyond?.value ?? null,
            formatCount,
          ),
          figureColumn<Limit>("failed_share", ({ beyond }) => beyond, { head: "Failed there (%)" }),
          figureColumn<Limit>("latency_mean_ms", ({ beyond }) => beyond, { head: "Mean there (ms)" }),
        ]),
  ];
  const lead = "The largest load that held, and what was measured there:";
  const note = "Knee: from about this load on, more load adds little or no throughput.";
  return [
    createTable({ caption: "Largest load that held", lead }, columns, limits),
    ...(hasKnee ? [paragraph(note)] : []),
  ];
}
