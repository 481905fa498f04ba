import net from "node:net";
import tls from "node:tls";
import type { FailureClass } from "../../model/measurement.js";
import { createBackoff } from "../backoff.js";
import type { LoadRun, LoadUser } from "../load-run.js";
import type { AnswerHead, AutocannonClient } from "./autocannon-client.js";
import { matchBody } from "../match-body.js";
import { wasReset } from "../was-reset.js";
import { isInterim, neverHasBody, SWITCHING_PROTOCOLS } from "../http-status.js";
import type { RequestPlan } from "../request-plan.js";

/**
 * Makes a client of autocannon account for every request, to be called from its `setupClient` hook.
 *
 * Autocannon keeps its part of building, starting and timing out clients; what happens on the connection is replaced,
 * because it loses requests there: a connection that closes without an answer is no error to it, a parser that was
 * interrupted in the middle of an answer goes on where it was, an answer with `Connection: close` costs the request
 * after it, and a refused connection is tried again at once for ever.
 */
export function measureClient(client: AutocannonClient, run: LoadRun, plan: RequestPlan): void {
  const { recorder } = run;
  const { parser } = client;
  const body = matchBody();
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
  let head: AnswerHead | undefined;
  let invalidLength = false;
  const backoff = createBackoff();
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
    if (run.exhausted(first)) return retire();
    parser.reinitialize("RESPONSE");
    head = undefined;
    connected = false;
    const socket = openSocket(client.secure, plan);
    client.conn = socket;
    let live = true;
    open = true;
    closeSocket = () => {
      live = false;
      open = false;
      socket.destroy();
    };
    socket.once(client.secure ? "secureConnect" : "connect", () => {
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
        fail("mismatched", errorCode(parsed, "INVALID_RESPONSE"));
        reconnect();
      }
    });
    socket.on("end", () => {
      if (!live) return;
      if (wasReset(socket)) {
        fail("resets", "ECONNRESET");
        return reconnect();
      }
      // An answer without a length ends with its connection.
      parser.finish();
      if (!live) return;
      fail("dropped");
      reconnect();
    });
    socket.on("error", (error) => {
      if (!live) return;
      if (connected) {
        fail("resets", errorCode(error, "UNKNOWN"));
        reconnect();
      } else {
        fail("connectErrors", errorCode(error, "UNKNOWN"));
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
      const open = sentUs === null ? 0 : 1;
      sentUs = null;
      client.destroy();
      return open;
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

function openSocket(secure: boolean, { host, port }: RequestPlan): net.Socket {
  // What is measured here is often a lab with a certificate of its own; the engine says that it does not verify.
  const socket = secure
    ? tls.connect({ port, host, rejectUnauthorized: false, ...(net.isIP(host) === 0 ? { servername: host } : {}) })
    : net.connect({ port, host });
  return socket.setNoDelay();
}

function saysKeepAlive({ versionMajor, versionMinor, headers }: AnswerHead): boolean {
  const connection = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === "connection");
  const value = connection === -1 ? "" : (headers[connection + 1] ?? "").toLowerCase();
  return versionMajor === 1 && versionMinor === 0 ? value.includes("keep-alive") : !value.includes("close");
}

function errorCode(error: NodeJS.ErrnoException, otherwise: string): string {
  return typeof error.code === "string" ? error.code : otherwise;
}
