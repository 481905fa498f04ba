import type { Finding } from "../model/finding.js";
import type { ToldScenario } from "../model/scenario.js";
import { failedTimeMs, findLittlesLawBroken, generatingUsers, isUndisturbedLoop, okTimeMs } from "./littles-law.js";
import { saturatedGenerator } from "./saturation.js";
import type { UnjudgedStep } from "./step-rule.js";

/** Part of the connections; below it, connecting and the requests that are cut off at the end explain it in most runs. */
const NOTABLE = 0.2;

/**
 * `CONNECTIONS_STARVED` {asked, answered} when the times of all requests that came to an end, added up and divided by the elapsed time,
 * are those of far fewer connections than were open, although the generator was not busy: `answered` of the `asked` connections on
 * average. What is missing was spent on connecting, or on requests that were not answered before the end (a server that leaves
 * connections in its backlog while it serves others), and is in no latency. Of closed loops of a fixed duration, by the same
 * conditions as Little's law, which is broken where even that does not explain it.
 */
export function findStarvedConnections(step: UnjudgedStep, scenario: ToldScenario): readonly Finding[] {
  const { level, measurement, usage } = step;
  const asked = level.connections;
  if (asked === undefined || measurement === undefined || usage === undefined) return [];
  if (!isUndisturbedLoop(asked, step, measurement) || saturatedGenerator(usage) !== undefined) return [];
  const answered = (okTimeMs(measurement) + failedTimeMs(measurement)) / measurement.elapsedMs;
  const isMissing = asked - answered - generatingUsers(usage) >= asked * NOTABLE;
  if (!isMissing || findLittlesLawBroken(step, scenario).length > 0) return [];
  return [{ code: "CONNECTIONS_STARVED", severity: "info", args: { asked, answered } }];
}
