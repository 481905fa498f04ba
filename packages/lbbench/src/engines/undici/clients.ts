import { DEFAULTS } from "../../config/defaults.js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import type { LoadRun } from "../load-run.js";
import { enterUsers, type CreateRequester } from "../requester.js";
import { planRequests } from "../requests.js";
import { splitEvenly, userStartsUs } from "../shares.js";
import { destinationOf } from "../sockets.js";
import type { UndiciOptions } from "./engine.js";
import { createHttp1Requesters } from "./http1.js";
import { createHttp2Requesters } from "./http2/requester.js";
import { enterOpenLoop } from "./open-loop.js";
import { startTicker, type Ticker } from "./ticker.js";

/** Of all open loops of this process, one after another. */
let ticker: Ticker | undefined;

/** Returns what builds the users that send a load. */
export async function undiciClients(load: GeneratorLoad): Promise<BuildClients> {
  const { httpVersion = DEFAULTS.httpVersion, keepAlive, level, place, arrival, atEnd } = load;
  // As the engine has read them.
  const { streams } = load.options as UndiciOptions;
  const plan = { ...destinationOf(load), keepAlive, pick: planRequests(load, place) };
  /** `sizes`: how many share each connection by HTTP/2, one after the other; the last is that of all further ones. */
  const createRequesters = (run: LoadRun, sizes: readonly number[]): CreateRequester =>
    httpVersion === "2" ? createHttp2Requesters(run, plan, sizes) : createHttp1Requesters(run, plan);
  if (arrival === undefined || level.rate === undefined) {
    const startsUs = userStartsUs(load, place);
    // No more share a connection than may, spread evenly over as few connections as that takes.
    const sizes = splitEvenly(startsUs.length, Math.ceil(startsUs.length / streams));
    return (run) => enterUsers(run, startsUs, createRequesters(run, sizes));
  }
  const { rate, requests, durationMs } = level;
  const durationUs = durationMs === undefined ? undefined : durationMs * 1000;
  const schedule = { ...arrival, place, rate, requests, durationUs };
  const endsByItself = durationMs === undefined || atEnd === "drain";
  const started = (ticker ??= await startTicker());
  return (run) => {
    const createRequester = createRequesters(run, [streams]);
    const { maxInFlight } = arrival;
    return enterOpenLoop(run, { createRequester, streams, schedule, maxInFlight, endsByItself }, started);
  };
}
