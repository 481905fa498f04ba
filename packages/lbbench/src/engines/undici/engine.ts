import { builtEntry } from "../../child/built-entry.js";
import type { EngineContext, Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import type { CompleteEngine, CompleteRun } from "../complete-engine.js";
import { driveGenerators } from "../drive-generators.js";
import { splitEvenly, splitLevel } from "../split-level.js";

const ENTRY = builtEntry(import.meta.url, "./generator-process.js");

/** So long before the schedule begins the generators are called, so that all of them are there for its first request. */
const LEAD_MS = 20;

/**
 * What autocannon cannot do, by the clients of undici in child processes of their own: requests that leave on a schedule,
 * a connection for each request, certificates that are verified, and where the time of a request went.
 */
export const undiciEngine: CompleteEngine = {
  name: "undici",
  supports: { protocols: ["http"], loads: ["connections", "rate"], keepAliveOff: true, tlsVerification: true },
  run: (load, context) => (load.level.rate === undefined ? runClosed(load, context) : runOpen(load, context)),
};

function runClosed(load: Load, context: EngineContext): Promise<CompleteRun> {
  const shares = splitLevel(load.level, load.generators).map((level) => ({ ...load, level }));
  return driveGenerators({ entry: ENTRY, shares, asked: { connections: closedConnections(load.level) } }, context);
}

/** Every generator takes every so many-th request of one schedule. */
async function runOpen(load: Load, context: EngineContext): Promise<CompleteRun> {
  const { arrival, level } = load;
  const { rate } = level;
  if (arrival === undefined || rate === undefined) {
    throw new Error("Expected a schedule (arrival) with a level that is a rate, got none");
  }
  const inFlight = splitEvenly(arrival.maxInFlight, Math.min(load.generators, arrival.maxInFlight));
  const shares = inFlight.map((maxInFlight, share) => ({
    ...load,
    options: { share, of: inFlight.length, maxInFlight },
  }));
  return driveGenerators({ entry: ENTRY, shares, asked: { rate }, leadMs: LEAD_MS }, context);
}
