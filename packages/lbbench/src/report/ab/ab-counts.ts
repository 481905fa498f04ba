import type { Measurement } from "../../model/measurement.js";
import { finishedRequests } from "../../stats/request-counts.js";

/** Requests as ApacheBench calls them. */
export interface AbCounts {
  /** Came to an end on a connection, whether or not there was an answer. */
  readonly complete: number;
  /** All of `connect`, `receive` and `length`. */
  readonly failed: number;
  /** No connection. */
  readonly connect: number;
  /** No complete answer: reset, closed early, timed out, or failed in a way that is not told. */
  readonly receive: number;
  /** An answer with another body than was asked for. */
  readonly length: number;
  /** Answers with a status that is not 2xx; as with ab, they are complete and not failed. */
  readonly non2xx: number;
}

/**
 * Counts the requests of a measurement as ApacheBench does: what is complete includes answers of any status and those that broke
 * off, failures exclude answers of another status, and requests in flight at the end are in neither. There is one difference:
 * ab counts one request that was reset as two or three failures (receive, length, exception), here each is one failure, so that
 * `complete + connect` is all that came to an end.
 */
export function countForAb({ requests, statusCodes }: Pick<Measurement, "requests" | "statusCodes">): AbCounts {
  const finished = finishedRequests(requests);
  const { connectErrors: connect = 0, mismatched: length = 0 } = requests;
  const receive = finished - requests.ok - requests.non2xx - length - connect;
  const told = Object.entries(statusCodes).filter(([status]) => /^\d{3}$/.test(status));
  const others = told.filter(([status]) => !status.startsWith("2"));
  return {
    complete: finished - connect,
    failed: connect + receive + length,
    connect,
    receive,
    length,
    // Which statuses are good may have been chosen, to ab it is those of 2xx.
    non2xx: told.length === 0 ? requests.non2xx : others.reduce((sum, [, count]) => sum + count, 0),
  };
}
