import { builtEntry } from "../../system/fork.js";
import type { EngineContext, Load } from "../../plugin.js";
import { closedConnections } from "../../stats/load.js";
import type { CompleteEngine, CompleteRun } from "../complete-engine.js";
import { driveGenerators } from "../drive-generators.js";
import { splitEvenly, splitLevel } from "../split-level.js";
import { parseGrpcTarget } from "./grpc-target.js";
import { grpcOptions } from "./options.js";

const ENTRY = builtEntry(import.meta.url, "./grpc-process.js");

/**
 * Calls a unary gRPC method in a closed loop: the connections of a level are its users, each with one call under way, and
 * they share a few channels; so do users that come one after another. Statuses are outcomes: OK is `ok`, any other that
 * the server sends is `non2xx`.
 */
export const grpcEngine: CompleteEngine = {
  name: "grpc",
  supports: { protocols: ["grpc"], loads: ["connections", "users"], keepAliveOff: false, tlsVerification: true },
  options: grpcOptions,
  check,
  run: callAll,
};

/** Rejects with an `Error` when there is no call to be made of the options and the request; sends nothing. */
async function check(
  asked: Pick<Load, "options" | "request">,
  { folder }: Pick<EngineContext, "folder">,
): Promise<void> {
  // The library is loaded only when it is needed.
  const { resolveCall } = await import("./resolve-call.js");
  await resolveCall(asked, folder);
}

async function callAll(load: Load, context: EngineContext): Promise<CompleteRun> {
  parseGrpcTarget(load.url);
  await check(load, context);
  const options = grpcOptions.parse(load.options);
  const channels = Math.min(options.channels, load.level.users ?? closedConnections(load.level));
  const levels = splitLevel(load.level, Math.min(load.generators, channels));
  const split = splitEvenly(channels, levels.length);
  const shares = levels.map((level, index) => ({ ...load, level, options: { ...options, channels: split[index] } }));
  return driveGenerators({ entry: ENTRY, shares, asked: { ...load.level, connections: channels } }, context);
}
