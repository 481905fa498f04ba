import type { FindingCode } from "../model/finding.js";
import type { FindingProse } from "./finding-figures.js";
import { FIGURES_PROSE } from "./figures-prose.js";
import { LOAD_PROSE } from "./load-prose.js";
import { MACHINE_PROSE } from "./machine-prose.js";
import { REQUESTS_PROSE } from "./requests-prose.js";
import { RUN_PROSE, SEARCH_PROSE, VERDICT_PROSE } from "./run-prose.js";

const PROSE: Readonly<Record<FindingCode, FindingProse>> = {
  ...FIGURES_PROSE,
  ...LOAD_PROSE,
  ...MACHINE_PROSE,
  ...REQUESTS_PROSE,
  ...RUN_PROSE,
  ...SEARCH_PROSE,
  ...VERDICT_PROSE,
};

/** The words for every code there is. */
export const FINDING_PROSE: ReadonlyMap<string, FindingProse> = new Map(Object.entries(PROSE));
