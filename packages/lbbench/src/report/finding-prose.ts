import type { FindingCode } from "../model/finding.js";
import type { FindingProse } from "./finding-figures.js";
import { FIGURES_PROSE } from "./finding-prose-figures.js";
import { LOAD_PROSE } from "./finding-prose-load.js";
import { MACHINE_PROSE } from "./finding-prose-machine.js";
import { REQUESTS_PROSE } from "./finding-prose-requests.js";
import { RUN_PROSE } from "./finding-prose-run.js";
import { SEARCH_PROSE } from "./finding-prose-search.js";
import { VERDICT_PROSE } from "./finding-prose-verdict.js";

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
