import Client from "autocannon/lib/httpClient.js";
import {
  http1Requesters,
  INVALID_RESPONSE,
  UNASKED_RESPONSE,
  type AnswerListener,
  type AnswerReader,
  type OnComplete,
} from "../http1.js";
import { linePlanOf, type PrepareSenders } from "../requester.js";
import { isInterim, neverHasBody, SWITCHING_PROTOCOLS } from "../requests.js";

/** Connections whose answers are read by clients of autocannon. */
export const autocannonSenders: PrepareSenders = (load) => {
  const { serverTiming = false } = load;
  const plan = linePlanOf(load);
  const createReader = (listener: AnswerListener, onComplete: OnComplete) =>
    readByAutocannon(listener, onComplete, serverTiming);
  return { requestersFor: (run) => http1Requesters(run, plan, { createReader, phases: false }) };
};

/**
 * Lets a client of autocannon read answers. What happens on the connection is not left to it, because it loses requests there: a
 * connection that closes without an answer is no error to it, a parser that was interrupted in an answer goes on where it was, an
 * answer with `Connection: close` costs the request after it, and a refused connection is tried again at once for ever.
 */
function readByAutocannon(listener: AnswerListener, onComplete: OnComplete, serverTiming: boolean): AnswerReader {
  let head: Client.AnswerHead | undefined;
  let fault: string | undefined;
  // Called at the end of the constructor: connections are opened elsewhere, and time is kept elsewhere.
  const client = new Client({ setupClient: (created) => (created._connect = () => {}) });
  client.timeoutTicker.clear();
  const { parser } = client;
  /** The parser takes anything for the size of a body or a chunk, and what is no number for the end of the answer. */
  const hasInvalidSize = (): boolean => parser.body_bytes !== null && !(parser.body_bytes >= 0);
  parser[2] = (info) => {
    head = info;
    listener.head(info.statusCode, serverTiming ? valuesOf(info, "server-timing")?.join(", ") : undefined);
    if (info.versionMajor !== 1 || info.statusCode < 100) fault = INVALID_RESPONSE;
    const isHeadAlone = listener.picked.isHead && !isInterim(info.statusCode);
    return hasInvalidSize() || neverHasBody(info.statusCode) || isHeadAlone;
  };
  parser[3] = (chunk, start, length) => {
    if (length >= 0) return listener.body(chunk, start, length);
    fault = INVALID_RESPONSE;
    throw new RangeError("A chunk of a negative size would lead the parser back, to read it for ever.");
  };
  parser[4] = () => {
    if (head === undefined || isInterim(head.statusCode) || fault !== undefined) return;
    if (hasInvalidSize()) {
      fault = INVALID_RESPONSE;
      return;
    }
    const { statusCode: status, shouldKeepAlive } = head;
    const reusable = status !== SWITCHING_PROTOCOLS && (listener.picked.isHead ? saysKeepAlive(head) : shouldKeepAlive);
    const isFollowed = parser.offset < parser.end;
    head = undefined;
    onComplete(reusable);
    if (!isFollowed) return;
    fault = UNASKED_RESPONSE;
    throw new RangeError("What follows an answer is not to be read: it might be taken for the next one.");
  };
  const parse = (bytes: Buffer): string | undefined => {
    try {
      const parsed: number | NodeJS.ErrnoException = parser.execute(bytes);
      return fault ?? (parsed instanceof Error ? (parsed.code ?? INVALID_RESPONSE) : undefined);
    } catch (error) {
      if (fault === undefined) throw error;
      return fault;
    }
  };
  return {
    begin: () => {
      parser.reinitialize("RESPONSE");
      head = undefined;
      fault = undefined;
    },
    read: (bytes, start, end) => parse(bytes.subarray(start, end)),
    finish: () => void parser.finish(),
  };
}

function saysKeepAlive(head: Client.AnswerHead): boolean {
  const value = (valuesOf(head, "connection")?.[0] ?? "").toLowerCase();
  return head.versionMajor === 1 && head.versionMinor === 0 ? value.includes("keep-alive") : !value.includes("close");
}

/** What a header says (its name in lower case), line by line; `undefined` where it was not sent. */
function valuesOf({ headers }: Client.AnswerHead, name: string): readonly string[] | undefined {
  const values = headers.filter((_, index) => index % 2 === 1 && headers[index - 1]?.toLowerCase() === name);
  return values.length === 0 ? undefined : values;
}
