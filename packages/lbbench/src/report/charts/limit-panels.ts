import { formatCount } from "../format-number.js";
import type { ChartDefinition } from "./chart-definition.js";

/** More panels than this make a picture that nobody looks through, and that some programs cannot show. */
const MOST_PANELS = 12;

/** Returns a chart with its first 12 panels, which says how many there are; one with fewer as it is. */
export function limitPanels(definition: ChartDefinition): ChartDefinition {
  const { panels, series, marks, rules, note } = definition;
  if (panels.length <= MOST_PANELS) return definition;
  const isKept = ({ panel }: { readonly panel: number }): boolean => panel < MOST_PANELS;
  const left = `the first ${MOST_PANELS} of ${formatCount(panels.length)} panels; the tables have all of them`;
  return {
    ...definition,
    panels: panels.slice(0, MOST_PANELS),
    series: series.filter(isKept),
    ...(marks === undefined ? {} : { marks: marks.filter(isKept) }),
    ...(rules === undefined ? {} : { rules: rules.filter(isKept) }),
    note: note === undefined ? left : `${note}\n${left}`,
  };
}
