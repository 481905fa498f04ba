import type { ChartDefinition } from "./chart-definition.js";

/** Returns a chart's note of some lines, a line each; without one where none says anything. */
export function joinNotes(...lines: readonly (string | undefined)[]): Pick<ChartDefinition, "note"> {
  const said = lines.filter((line) => line !== undefined && line !== "");
  return said.length === 0 ? {} : { note: said.join("\n") };
}
