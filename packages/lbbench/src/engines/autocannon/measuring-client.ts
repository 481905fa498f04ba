import Client from "autocannon/lib/httpClient.js";
import type { FailureClass } from "../../model/measurement.js";
import { closedConnections } from "../../stats/load.js";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import { Backoff, type LoadRun, type LoadUser } from "../load-run.js";
import {
  BodyMatch,
  isInterim,
  mixRequests,
  neverHasBody,
  SWITCHING_PROTOCOLS,
  type PlannedRequest,
} from "../requests.js";
import { destinationOf, endOf, openSocket, type Destination } from "../sockets.js";

/** Builds the clients of autocannon that send a load. */
export function autocannonClients(load: GeneratorLoad): BuildClients {
  const plan = { ...destinationOf(load), ...mixRequests(load, load.place).first };
  return (run) => {
    for (let connection = closedConnections(load.level); connection > 0; connection -= 1) {
      new Client({ setupClient: (client) => measureClient(client, run, plan) });
    }
    // Each is destroyed when its user leaves or is cut.
    return { stop: async () => {} };
  };
}

/**
 * Makes a client of autocannon account for every request, to be called from its `setupClient` hook.
 *
 * Autocannon keeps its part of reading answers and timing out; what happens on the connection is replaced,
 * because it loses requests there: a connection that closes without an answer is no error to it, a parser that was
 * interrupted in the middle of an answer goes on where it was, an answer with `Connection: close` costs the request
 * after it, and a refused connection is tried again at once for ever.
 */
function measureClient(client: Client, run: LoadRun, plan: Destination & PlannedRequest): void {
  const { recorder } = run;
  const { parser } = client;
  const body = new BodyMatch();
  let closeSocket: () => void = () => {};
  /** Whether what the parser reads still comes from the connection in use; one packet can hold more than we want. */
  let open = false;
  let first = true;
  let connected = false;
  let everConnected = false;
  /** When the open request left; `null` without one. */
  let sentUs: number | null = null;
  /** Bytes that were on their way before a request left cannot be its answer. */
  let sentWhileReading = false;
  let reading = false;
  let head: Client.AnswerHead | undefined;
  let invalidLength = false;
  const backoff = new Backoff();
  let waiting: NodeJS.Timeout | undefined;

  const fail = (kind: FailureClass, code?: string): void => {
    if (sentUs === null) return;
    if (!connected) run.sawNoConnection();
    recorder.failed(kind, sentUs, run.nowUs(), code === undefined ? {} : { code });
    sentUs = null;
  };
  const retire = (): void => {
    client.destroy();
    run.leave(user);
  };
  const send = (): void => {
    if (client.destroyed) return;
    if (!run.take(first)) return retire();
    first = false;
    sentUs = run.nowUs();
    sentWhileReading = reading;
    recorder.sent(sentUs);
    if (connected) recorder.written(plan.bytes.length);
    client.conn?.write(plan.bytes);
    client.timeoutTicker.reschedule(client.timeout);
  };
  const reconnect = (): void => {
    closeSocket();
    // Not from within a callback of the parser, which is made ready for the new connection.
    queueMicrotask(connect);
  };

  const connect = (): void => {
    clearTimeout(waiting);
    if (client.destroyed) return;
    if (run.isExhausted(first)) return retire();
    parser.reinitialize("RESPONSE");
    head = undefined;
    connected = false;
    // What is measured here is often a lab with a certificate of its own; the engine says that it does not verify.
    const { socket, readyEvent } = openSocket(plan, { verify: false });
    client.conn = socket;
    let live = true;
    open = true;
    closeSocket = () => {
      live = false;
      open = false;
      socket.destroy();
    };
    socket.once(readyEvent, () => {
      if (!live) return;
      connected = true;
      backoff.reset();
      recorder.connected(!everConnected);
      everConnected = true;
      run.sawLife();
      if (sentUs !== null) recorder.written(plan.bytes.length);
    });
    socket.on("data", (chunk) => {
      if (!live) return;
      recorder.received(chunk.length);
      sentWhileReading = false;
      reading = true;
      const parsed = parser.execute(chunk);
      reading = false;
      if (live && parsed instanceof Error) {
        fail("mismatched", codeOf(parsed, "INVALID_RESPONSE"));
        reconnect();
      }
    });
    socket.on("end", () => {
      if (!live) return;
      const end = endOf(socket);
      // An answer without a length ends with its connection.
      if (end.kind === "dropped") parser.finish();
      if (!live) return;
      fail(end.kind, end.kind === "resets" ? end.code : undefined);
      reconnect();
    });
    socket.on("error", (error) => {
      if (!live) return;
      if (connected) {
        fail("resets", codeOf(error, "UNKNOWN"));
        reconnect();
      } else {
        fail("connectErrors", codeOf(error, "UNKNOWN"));
        closeSocket();
        waiting = setTimeout(connect, backoff.nextMs());
      }
    });
    send();
  };

  const readAnswers = (): void => {
    parser[2] = (info) => {
      if (!open) return true;
      head = info;
      body.start(plan.expectBody);
      // The parser takes anything for a length, and what is no length for the end of the answer.
      invalidLength = parser.body_bytes !== null && !(parser.body_bytes >= 0);
      return invalidLength || neverHasBody(info.statusCode) || (plan.isHead && !isInterim(info.statusCode));
    };
    parser[3] = (chunk, start, length) => {
      if (!open) return;
      recorder.body(length);
      body.add(chunk, start, length);
    };
    parser[4] = () => {
      if (!open || head === undefined || isInterim(head.statusCode)) return;
      const { statusCode: status } = head;
      const reusable = status !== SWITCHING_PROTOCOLS && (plan.isHead ? saysKeepAlive(head) : head.shouldKeepAlive);
      head = undefined;
      run.sawLife();
      if (sentUs === null || sentWhileReading || invalidLength) {
        fail("mismatched", invalidLength ? "INVALID_RESPONSE" : "UNASKED_RESPONSE");
        return reconnect();
      }
      const nowUs = run.nowUs();
      if (!plan.isExpected(status)) recorder.failed("non2xx", sentUs, nowUs, { status });
      else if (!body.matches()) recorder.failed("mismatched", sentUs, nowUs, { status });
      else recorder.ok(sentUs, nowUs, status);
      sentUs = null;
      if (reusable) send();
      else reconnect();
    };
  };

  const user: LoadUser = {
    start: () => {
      client._connect = connect;
      connect();
    },
    cut: () => {
      const left = sentUs === null ? 0 : 1;
      sentUs = null;
      client.destroy();
      return left;
    },
  };
  client.timeout = plan.timeoutMs;
  // The constructor ends with connecting, after it has set its own callbacks of the parser. Nothing is opened yet: users
  // are started once all of them are built. A timeout that passes before that connects as well, and must not.
  client._connect = readAnswers;
  client._doRequest = send;
  client._destroyConnection = () => {
    clearTimeout(waiting);
    // Autocannon calls this from its timeout, and when a client is destroyed: only then is it already marked.
    if (!client.destroyed) fail("timedOut");
    closeSocket();
  };
  run.enter(user);
}

function saysKeepAlive({ versionMajor, versionMinor, headers }: Client.AnswerHead): boolean {
  const connection = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "connection");
  const value = connection === -1 ? "" : (headers[connection + 1] ?? "").toLowerCase();
  return versionMajor === 1 && versionMinor === 0 ? value.includes("keep-alive") : !value.includes("close");
}

function codeOf(error: NodeJS.ErrnoException, otherwise: string): string {
  return typeof error.code === "string" ? error.code : otherwise;
}
