import type { RequestCounts } from "../../model/measurement.js";
import { ProgramError } from "../driven-program/program-error.js";
import { isFirstSuspect } from "./doubt-lengths.js";
import type { ReceiveErrors } from "./parse-complaints.js";
import type { AbOutput } from "./parse-output.js";

const CONNECT_CODES = ["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ETIMEDOUT"];
const RESET_CODES = ["ECONNRESET", "EPIPE"];

/**
 * Says what became of the requests, from what ab counts, which is something else:
 *
 * - *Complete* is whatever came to an end, also by the connection being closed or reset without an answer.
 * - Such a request has an empty body, and so another *length* than the first answer; a complete answer may have that, too,
 *   and is ok. On connections that are kept open ab waits for the whole length, so that those *kept alive* are complete: only
 *   where a connection was closed, another length is a failure (`unclassified`: closed early, or merely different). Where most
 *   have another length, and a body, the first answer may have been the odd one: then none of them counts as a failure.
 * - A failure to *receive* is counted as a length and as an exception once more. The errors tell resets from refusals.
 * - Answers with an unexpected status mostly have another length. As many of them as there are lengths are taken to be among
 *   those; `doubt-lengths.ts` says so.
 *
 * Throws a `ProgramError` where nothing tells an answer from a connection that was closed: when the body of the first is
 * empty, without keep-alive.
 */
export function countAbRequests(output: AbOutput, errors: ReceiveErrors): Omit<RequestCounts, "inFlight"> {
  const { complete, non2xx, failures, keptAlive = 0, documentLength, receivedBytes } = output;
  const refused = sumOf(errors, CONNECT_CODES);
  const resets = sumOf(errors, RESET_CODES);
  // An exception beyond those of receiving is a request that was given up and begun anew.
  const givenUp = Math.max(0, failures.exceptions - failures.receive);
  if (refused + resets > failures.receive) {
    throw new ProgramError(
      `ab complains of ${refused + resets} failures to receive an answer and counts ${failures.receive}`,
    );
  }
  const connectErrors = refused + failures.connect;
  const sent = complete + failures.connect + givenUp;
  const closed = complete - keptAlive;
  const answered = complete - failures.receive;
  if (receivedBytes === 0 || answered <= 0) {
    const unclassified = sent - connectErrors - resets;
    return { sent, ok: 0, non2xx: 0, connectErrors, resets, unclassified };
  }
  if (documentLength === 0 && closed > failures.receive) {
    throw new ProgramError(
      "ab does not tell answers with an empty body from connections that were closed without an answer, and the first body " +
        `was empty; ${closed} of ${complete} connections were closed. Use another engine, or a page that is not empty, kept alive`,
    );
  }
  const tellsNothing = documentLength === 0 || isFirstSuspect(output);
  const lengthFailures = tellsNothing ? failures.receive : failures.length;
  const incomplete = Math.max(failures.receive, Math.min(lengthFailures, closed));
  const otherLengths = failures.length - Math.min(failures.length, incomplete);
  const amongIncomplete = Math.min(incomplete - failures.receive, Math.max(0, non2xx - otherLengths));
  const failed = incomplete - amongIncomplete;
  const ok = complete - non2xx - failed;
  if (ok < 0)
    throw new ProgramError(
      `ab counts ${non2xx} answers with an unexpected status and ${failed} other failures among ${complete} requests`,
    );
  return {
    sent,
    ok,
    non2xx,
    connectErrors,
    resets,
    unclassified: failed - refused - resets + givenUp,
  };
}

function sumOf(counts: ReceiveErrors, codes: readonly string[]): number {
  return codes.reduce((sum, code) => sum + (counts[code] ?? 0), 0);
}
