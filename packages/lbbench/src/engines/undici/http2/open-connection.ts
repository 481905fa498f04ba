import { connect, type ClientHttp2Session } from "node:http2";
import net, { type Socket } from "node:net";
import tls from "node:tls";
import type { FailureClass } from "../../../model/measurement.js";
import type { Destination } from "../../request-plan.js";
import { wasReset } from "../../was-reset.js";

/** A connection that speaks HTTP/2, and what is to be known of it. */
export interface Http2Connection {
  readonly socket: Socket;
  /** Once it is established, after the handshake of TLS. */
  session: ClientHttp2Session | undefined;
  /** Whether the server has spoken HTTP/2 on it. */
  spoken: boolean;
  /** How the other side ended it, once it has. */
  ending: { readonly kind: FailureClass & ("dropped" | "resets"); readonly code?: string } | undefined;
  /** What the server said last of when the connection is to end: why, and which stream it is the last to deal with. */
  goaway: { readonly code: number; readonly lastStreamId: number } | undefined;
  /** Streams that somebody waits for. */
  streams: number;
  /** Whether it is to be closed when they are over. */
  retired: boolean;
  /** When the server was asked for a sign of life that it has not given yet, in microseconds from the common start. */
  askedUs: number | undefined;
  /** Resolves when it is closed. */
  readonly closed: Promise<void>;
}

/** What is told of a connection. */
export interface ConnectionEvents {
  readonly onEstablished: (connection: Http2Connection) => void;
  /** In place of it; `code` is that of the system, of TLS, or `ERR_HTTP2_NOT_NEGOTIATED`. */
  readonly onRefused: (connection: Http2Connection, code: string) => void;
  /** The server has said how many streams it takes. */
  readonly onSpoken: (connection: Http2Connection) => void;
  readonly onClosed: (connection: Http2Connection) => void;
}

/** What is said of a server that speaks TLS and not HTTP/2 over it. */
export const NOT_NEGOTIATED = "ERR_HTTP2_NOT_NEGOTIATED";

/** What servers answer that know of no protocol they were offered. */
const NO_PROTOCOL_ALERT = "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";

/** So much may be on its way to us: no answer is to wait for a window of ours, since all of it is read at once. */
const WINDOW_BYTES = 2 ** 30;
/** What a session may need for its streams, in MB; Node would refuse to open more. */
const MEMORY_MB = 1000;

/** Opens a connection: by prior knowledge, or over TLS where the server has to choose HTTP/2. */
export function openConnection(to: Destination, events: ConnectionEvents): Http2Connection {
  const socket = to.secure ? tls.connect(tlsOptions(to)) : net.connect({ port: to.port, host: to.host });
  socket.setNoDelay();
  const connection: Http2Connection = {
    socket,
    session: undefined,
    spoken: false,
    ending: undefined,
    goaway: undefined,
    streams: 0,
    retired: false,
    askedUs: undefined,
    closed: new Promise((resolve) => {
      socket.once("close", () => {
        events.onClosed(connection);
        resolve();
      });
    }),
  };
  let refused = false;
  const refuse = (code: string): void => {
    if (refused) return;
    refused = true;
    socket.destroy();
    events.onRefused(connection, code);
  };
  socket.on("error", ({ code = "UNKNOWN" }: NodeJS.ErrnoException) => {
    if (connection.session === undefined) refuse(code === NO_PROTOCOL_ALERT ? NOT_NEGOTIATED : code);
    // What the session finds fault with, it passes on to its socket.
    else if (!code.startsWith("ERR_HTTP2")) connection.ending ??= { kind: "resets", code };
  });
  socket.on("end", () => {
    connection.ending ??= wasReset(socket) ? { kind: "resets", code: "ECONNRESET" } : { kind: "dropped" };
  });
  socket.once(to.secure ? "secureConnect" : "connect", () => {
    if (socket instanceof tls.TLSSocket && socket.alpnProtocol !== "h2") return refuse(NOT_NEGOTIATED);
    connection.session = startSession(connection, to, events);
    events.onEstablished(connection);
  });
  return connection;
}

function startSession(
  connection: Http2Connection,
  { secure }: Destination,
  { onSpoken }: ConnectionEvents,
): ClientHttp2Session {
  const session = connect(`${secure ? "https" : "http"}://localhost`, {
    createConnection: () => connection.socket,
    settings: { enablePush: false, initialWindowSize: WINDOW_BYTES },
    maxSessionMemory: MEMORY_MB,
  });
  session.setLocalWindowSize(WINDOW_BYTES);
  // The streams are told as well, and it is they that count.
  session.on("error", () => {});
  session.on("goaway", (code, lastStreamId) => {
    connection.goaway = { code, lastStreamId };
  });
  session.once("remoteSettings", () => {
    connection.spoken = true;
    onSpoken(connection);
  });
  return session;
}

/** The certificate is verified, with what Node trusts (and `NODE_EXTRA_CA_CERTS`), whatever the environment says of it. */
function tlsOptions({ host, port }: Destination): tls.ConnectionOptions {
  const name = net.isIP(host) === 0 ? { servername: host } : {};
  return { host, port, ALPNProtocols: ["h2"], rejectUnauthorized: true, ...name };
}
