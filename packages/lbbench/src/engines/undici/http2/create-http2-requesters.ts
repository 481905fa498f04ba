import type { LoadRun } from "../../load-run.js";
import type { CreateRequester } from "../choose-requesters.js";
import type { RequesterPlan } from "../requester.js";
import { createHttp2Requester, type Http2Plan } from "./create-http2-requester.js";
import { http2Request, type Http2Request } from "./http2-request.js";
import { shareConnection } from "./shared-connection.js";

/**
 * Returns what creates requesters over HTTP/2, the first few of which share one connection, the next few another.
 *
 * @param sizes how many share the first connection, the second, and so on; as many as the last of these share each that
 *   follows.
 */
export function createHttp2Requesters(run: LoadRun, plan: RequesterPlan, sizes: readonly number[]): CreateRequester {
  const requests = new Map<RequesterPlan["mix"]["first"], Http2Request>();
  const requestOf: Http2Plan["requestOf"] = (picked) => {
    const known = requests.get(picked);
    if (known !== undefined) return known;
    const request = http2Request(picked.url, picked.request);
    requests.set(picked, request);
    return request;
  };
  let index = -1;
  let left = 0;
  let shared = shareConnection(run, plan);
  return (onDone) => {
    if (left === 0) {
      index += 1;
      left = sizes[index] ?? sizes.at(-1) ?? 1;
      shared = shareConnection(run, plan);
    }
    left -= 1;
    const { mix, keepAlive, timeoutMs } = plan;
    return createHttp2Requester(run, { mix, keepAlive, timeoutMs, requestOf, shared }, onDone);
  };
}
