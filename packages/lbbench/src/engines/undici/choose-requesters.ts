import type { LoadRun } from "../load-run.js";
import { createHttp2Requesters } from "./http2/create-http2-requesters.js";
import { createRequester, type Requester, type RequesterPlan } from "./requester.js";

/**
 * Creates one requester after the other.
 *
 * @param onDone called when a request has its outcome; `connected` says whether it had a connection.
 */
export type CreateRequester = (onDone: (connected: boolean) => void) => Requester;

/**
 * Chooses the requesters that speak the version of HTTP that is planned.
 *
 * @param sizes how many share each connection by HTTP/2, one after the other; the last is that of all further ones. By
 *   HTTP/1.1 each has its own.
 */
export function chooseRequesters(run: LoadRun, plan: RequesterPlan, sizes: readonly number[]): CreateRequester {
  if (plan.http2) return createHttp2Requesters(run, plan, sizes);
  return (onDone) => createRequester(run, plan, onDone);
}
