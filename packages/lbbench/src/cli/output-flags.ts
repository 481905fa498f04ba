import { ConfigError } from "../index.js";
import { parsePort } from "./parse-port.js";
import type { Output } from "./run-and-report.js";
import type { SweepFlags } from "./sweep-flags.js";

/** What the flags say of how a run is shown; throws a `ConfigError` for a port that is none, or that nothing is served at. */
export function readOutputFlags({ quiet, json, live, livePort }: SweepFlags): Output {
  if (live !== true && livePort !== undefined) {
    throw new ConfigError("--live-port: expected --live beside it, because nothing is served without. Add it");
  }
  return {
    quiet: quiet === true,
    json: json === true,
    ...(live === true ? { live: { port: parsePort(livePort, 0, "--live-port") } } : {}),
  };
}
