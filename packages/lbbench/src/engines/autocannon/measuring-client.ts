import type { Socket } from "node:net";
import Client from "autocannon/lib/httpClient.js";
import type { Clients, GeneratorLoad } from "../generator.js";
import type { LoadRun } from "../load-run.js";
import {
  enterUsers,
  linePlanOf,
  requestersBy,
  type Line,
  type RequestAccount,
  type RequestFailure,
} from "../requester.js";
import { isInterim, neverHasBody, SWITCHING_PROTOCOLS } from "../requests.js";
import { endOf, openSocket, type Destination } from "../sockets.js";

/** Builds the clients of autocannon that send a load. */
export function autocannonClients(load: GeneratorLoad, run: LoadRun): Clients {
  const plan = linePlanOf(load);
  const createRequester = requestersBy(run, plan, (account, onDone) => createLine(run, plan, account, onDone));
  return enterUsers(run, load, createRequester);
}

/**
 * Makes a client of autocannon account for every request. It keeps its part of reading answers; what happens on the connection is
 * replaced, because it loses requests there: a connection that closes without an answer is no error to it, a parser that was
 * interrupted in an answer goes on where it was, an answer with `Connection: close` costs the request after it, and a refused
 * connection is tried again at once for ever.
 */
function createLine(
  run: LoadRun,
  to: Destination,
  account: RequestAccount,
  onDone: (connected: boolean) => void,
): Line {
  const { counts } = run.recorder;
  /** The connection in use: one packet of an earlier one may hold more than was wanted of it. */
  let socket: Socket | undefined;
  let connected = false;
  /** Bytes that were on their way before a request left cannot be its answer. */
  let sentWhileReading = false;
  let reading = false;
  let head: Client.AnswerHead | undefined;
  let invalidLength = false;

  /** Gives the connection up; the next one is not opened in a callback of the parser, which is made ready for it. */
  const lose = (): void => {
    socket?.destroy();
    socket = undefined;
    const had = connected;
    queueMicrotask(() => onDone(had));
  };
  const fail = (failure: RequestFailure): void => {
    if (account.isOpen) account.settleFailure(failure, connected);
    lose();
  };
  const connect = (): Socket => {
    parser.reinitialize("RESPONSE");
    head = undefined;
    connected = false;
    // What is measured here is often a lab with a certificate of its own; the engine says that it does not verify.
    const isUsed = (): boolean => opened === socket;
    const onReady = (): void => {
      if (!isUsed()) return;
      connected = true;
      account.established();
      counts.written += account.picked.bytes.length;
    };
    const opened = openSocket(to, onReady, { verify: false });
    opened.on("data", (chunk) => {
      if (!isUsed()) return;
      counts.received += chunk.length;
      sentWhileReading = false;
      reading = true;
      const parsed: number | NodeJS.ErrnoException = parser.execute(chunk);
      reading = false;
      if (isUsed() && parsed instanceof Error) fail({ kind: "mismatched", code: parsed.code ?? "INVALID_RESPONSE" });
    });
    opened.on("end", () => {
      if (!isUsed()) return;
      const end = endOf(opened);
      // An answer without a length ends with its connection.
      if (end.kind === "dropped") parser.finish();
      if (isUsed()) fail(end);
    });
    opened.on("error", ({ code = "UNKNOWN" }: NodeJS.ErrnoException) => {
      if (isUsed()) fail({ kind: connected ? "resets" : "connectErrors", code });
    });
    return opened;
  };

  // Called at the end of the constructor: requests open connections here, and their time is kept elsewhere.
  const client = new Client({ setupClient: (created) => (created._connect = () => {}) });
  client.timeoutTicker.clear();
  const { parser } = client;
  parser[2] = (info) => {
    if (socket === undefined) return true;
    head = info;
    account.head(info.statusCode);
    // The parser takes anything for a length, and what is no length for the end of the answer.
    invalidLength = parser.body_bytes !== null && !(parser.body_bytes >= 0);
    const isHeadAlone = account.picked.isHead && !isInterim(info.statusCode);
    return invalidLength || neverHasBody(info.statusCode) || isHeadAlone;
  };
  parser[3] = (chunk, start, length) => {
    if (socket !== undefined) account.body(chunk, start, length);
  };
  parser[4] = () => {
    if (socket === undefined || head === undefined || isInterim(head.statusCode)) return;
    const { statusCode: status, shouldKeepAlive } = head;
    const reusable = status !== SWITCHING_PROTOCOLS && (account.picked.isHead ? saysKeepAlive(head) : shouldKeepAlive);
    head = undefined;
    if (!account.isOpen || sentWhileReading || invalidLength) {
      return fail({ kind: "mismatched", code: invalidLength ? "INVALID_RESPONSE" : "UNASKED_RESPONSE" });
    }
    account.settleAnswer();
    if (reusable) onDone(true);
    else lose();
  };
  return {
    send: () => {
      sentWhileReading = reading;
      if (socket === undefined) socket = connect();
      else counts.written += account.picked.bytes.length;
      socket.write(account.picked.bytes);
    },
    giveUp: () => fail({ kind: "timedOut" }),
    close: async () => {
      socket?.destroy();
      socket = undefined;
    },
  };
}

function saysKeepAlive({ versionMajor, versionMinor, headers }: Client.AnswerHead): boolean {
  const connection = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "connection");
  const value = connection === -1 ? "" : (headers[connection + 1] ?? "").toLowerCase();
  return versionMajor === 1 && versionMinor === 0 ? value.includes("keep-alive") : !value.includes("close");
}
