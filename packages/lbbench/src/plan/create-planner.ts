import type { Scenario } from "../model/scenario.js";
import { createFixedSweep } from "./fixed-sweep.js";
import type { Planner } from "./planner.js";
import { createSearch } from "./search.js";

/** Returns the planner of a scenario: a search where it has one, else the sweep of its levels. */
export function createPlanner(scenario: Scenario): Planner {
  return scenario.search === null ? createFixedSweep(scenario) : createSearch(scenario, scenario.search);
}
