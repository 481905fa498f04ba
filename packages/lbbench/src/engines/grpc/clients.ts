import type { Clients, GeneratorLoad } from "../generator.js";
import { http2Requesters } from "../http2.js";
import type { LoadRun } from "../load-run.js";
import { enterOpenLoop } from "../open-loop.js";
import { enterUsers, linePlanOf } from "../requester.js";
import { parseGrpcTarget, resolveCall } from "./call.js";
import { grpcCodec } from "./codec.js";
import type { GrpcOptions } from "./engine.js";

/** Reads the call of a load, and builds the users that make it over a few channels. */
export async function grpcClients(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  // As the engine has read them.
  const options = load.options as GrpcOptions;
  const { channels, deadline } = options;
  const call = await resolveCall({ options, request: load.request }, load.folder);
  const codec = grpcCodec(call, { ...parseGrpcTarget(load.url), deadlineMs: deadline });
  // In turn, so that users that come one after another share them evenly as well.
  const connectionOf = (requester: number): number => requester % channels;
  const createRequester = await http2Requesters(run, linePlanOf(load), codec, connectionOf);
  if (load.level.rate === undefined) return enterUsers(run, load, createRequester);
  return enterOpenLoop(run, load, createRequester, connectionOf);
}
