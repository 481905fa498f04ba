import { DEFAULTS } from "../../config/defaults.js";
import type { Clients, GeneratorLoad } from "../generator.js";
import { http1Requesters } from "../http1.js";
import type { LoadRun } from "../load-run.js";
import { enterUsers, linePlanOf, type CreateRequester } from "../requester.js";
import { userStartsUs } from "../shares.js";
import { http2Requesters } from "../http2/requester.js";
import { scanAnswers } from "./answer-reader.js";
import type { WireOptions } from "./engine.js";
import { enterOpenLoop } from "./open-loop.js";
import { startTicker, type Ticker } from "./ticker.js";

/** Of all open loops of this process, one after another. */
let ticker: Ticker | undefined;

/** Builds the users that send a load. */
export async function wireClients(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  const { httpVersion = DEFAULTS.httpVersion, level, place, arrival, atEnd } = load;
  // As the engine has read them.
  const { streams } = load.options as WireOptions;
  const plan = linePlanOf(load);
  const http1 = { createReader: scanAnswers, phases: true, protocol: "http/1.1" } as const;
  const createRequesters = async (connectionOf: (requester: number) => number): Promise<CreateRequester> =>
    httpVersion === "2" ? http2Requesters(run, plan, connectionOf) : http1Requesters(run, plan, http1);
  if (arrival === undefined || level.rate === undefined) {
    // In turn, so that users that come one after another share them evenly as well.
    const connections = Math.ceil(userStartsUs(load, place).length / streams);
    return enterUsers(run, load, await createRequesters((user) => user % connections));
  }
  const { rate, requests, durationMs = Infinity } = level;
  const endsByItself = durationMs === Infinity || atEnd === "drain";
  const loop = { ...arrival, place, rate, requests, durationMs, streams, endsByItself };
  const createRequester = await createRequesters((requester) => Math.floor(requester / streams));
  return enterOpenLoop(run, loop, createRequester, (ticker ??= await startTicker()));
}
