import { chartDefinitions } from "../charts/chart-definitions.js";
import type { Section } from "./section.js";

/** The charts, as data. */
export const charts: Section = (result) => {
  const definitions = chartDefinitions(result);
  return definitions.length === 0
    ? null
    : { id: "charts", title: "Charts", blocks: [{ kind: "charts", charts: definitions }] };
};
