import Client from "autocannon/lib/httpClient.js";
import type { Clients, GeneratorLoad } from "../generator.js";
import { http1Requesters, INVALID_RESPONSE, type AnswerListener, type AnswerReader } from "../http1.js";
import type { LoadRun } from "../load-run.js";
import { enterUsers, linePlanOf } from "../requester.js";
import { isInterim, neverHasBody, SWITCHING_PROTOCOLS } from "../requests.js";

/** Builds the clients of autocannon that send a load. */
export async function autocannonClients(load: GeneratorLoad, run: LoadRun): Promise<Clients> {
  // What is measured here is often a lab with a certificate of its own; the engine says that it does not verify.
  const how = { createReader: readByAutocannon, phases: false, verify: false };
  return enterUsers(run, load, await http1Requesters(run, linePlanOf(load), how));
}

/**
 * Lets a client of autocannon read answers. What happens on the connection is not left to it, because it loses requests there: a
 * connection that closes without an answer is no error to it, a parser that was interrupted in an answer goes on where it was, an
 * answer with `Connection: close` costs the request after it, and a refused connection is tried again at once for ever.
 */
function readByAutocannon(listener: AnswerListener): AnswerReader {
  let head: Client.AnswerHead | undefined;
  let fault: string | undefined;
  let invalidLength = false;
  // Called at the end of the constructor: connections are opened elsewhere, and time is kept elsewhere.
  const client = new Client({ setupClient: (created) => (created._connect = () => {}) });
  client.timeoutTicker.clear();
  const { parser } = client;
  parser[2] = (info) => {
    head = info;
    listener.head(info.statusCode);
    // The parser takes anything for a length, and what is no length for the end of the answer.
    invalidLength = parser.body_bytes !== null && !(parser.body_bytes >= 0);
    const isHeadAlone = listener.picked.isHead && !isInterim(info.statusCode);
    return invalidLength || neverHasBody(info.statusCode) || isHeadAlone;
  };
  parser[3] = (chunk, start, length) => listener.body(chunk, start, length);
  parser[4] = () => {
    if (head === undefined || isInterim(head.statusCode) || fault !== undefined) return;
    if (invalidLength) fault = INVALID_RESPONSE;
    const { statusCode: status, shouldKeepAlive } = head;
    const reusable = status !== SWITCHING_PROTOCOLS && (listener.picked.isHead ? saysKeepAlive(head) : shouldKeepAlive);
    head = undefined;
    if (!invalidLength) listener.complete(reusable);
  };
  return {
    begin: () => {
      parser.reinitialize("RESPONSE");
      head = undefined;
      fault = undefined;
    },
    read: (bytes, start, end) => {
      const parsed: number | NodeJS.ErrnoException = parser.execute(bytes.subarray(start, end));
      return fault ?? (parsed instanceof Error ? (parsed.code ?? INVALID_RESPONSE) : undefined);
    },
    finish: () => void parser.finish(),
  };
}

function saysKeepAlive({ versionMajor, versionMinor, headers }: Client.AnswerHead): boolean {
  const connection = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "connection");
  const value = connection === -1 ? "" : (headers[connection + 1] ?? "").toLowerCase();
  return versionMajor === 1 && versionMinor === 0 ? value.includes("keep-alive") : !value.includes("close");
}
