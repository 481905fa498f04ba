import { groupBy } from "../../stats/group-by.js";
import type { ChartDefinition } from "./chart-definition.js";
import { isPieceOfStack } from "./chart-datasets.js";
import { joinNotes } from "./join-notes.js";
import { valueTicks } from "./value-ticks.js";

/** A piece of a stack that is a smaller part of its axis is not even a line. */
const SMALLEST_SEEN = 0.006;

/** More panels than this are counted. */
const MOST_PANELS = 3;

/** More places than this are counted. */
const MOST_PLACES = 4;

/**
 * Returns a note of the pieces of stacked bars that are too low to be seen, so that a few failures among many requests are not taken
 * for none: `too low to be seen: single, failed at 10`. Nothing where all are seen.
 */
export function tinyPiecesNote(definition: ChartDefinition): Pick<ChartDefinition, "note"> {
  const { series, panels } = definition;
  const lowest = valueTicks(definition).max * SMALLEST_SEEN;
  const tiny = series
    .filter((one) => one.shape === "bar" && isPieceOfStack(one, series))
    .flatMap(({ name, panel, points }) => {
      const places = points.flatMap(({ x, y }) => (y !== null && y > 0 && y < lowest ? [String(x)] : []));
      return places.length === 0 ? [] : [{ name, panel, places }];
    });
  const names = [...new Set(tiny.map(({ name }) => name))].join(", ");
  const count = new Set(tiny.map(({ panel }) => panel)).size;
  if (count > MOST_PANELS) return { note: `too low to be seen: ${names}, in ${count} panels` };
  const byPanel = [...groupBy(tiny, ({ panel }) => String(panel)).values()];
  const lines = byPanel.map((pieces) => {
    const title = panels[pieces[0]?.panel ?? 0] ?? "";
    const alike = groupBy(pieces, ({ places }) => describePlaces(places));
    const words = [...alike].map(([places, those]) => `${those.map(({ name }) => name).join(", ")} at ${places}`);
    return `${title === "" ? "" : `${title}: `}${words.join("; ")}`;
  });
  return joinNotes(...lines.map((line) => `too low to be seen: ${line}`));
}

function describePlaces(places: readonly string[]): string {
  return places.length > MOST_PLACES ? `${places.length} places` : places.join(" / ");
}
