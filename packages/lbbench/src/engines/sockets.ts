import net, { type Socket } from "node:net";
import tls from "node:tls";
import type { ConnectionSocket } from "@lbbench/wire";
import type { LoadRun } from "./load-run.js";
import { defined } from "../stats/defined.js";

/** Where the requests of a load go. */
export interface Destination {
  /** Over TLS. */
  readonly secure: boolean;
  /** Name or address (IPv6 without brackets). */
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** Whether any certificate is accepted. */
  readonly insecure: boolean;
}

/** How the other side ended a connection. */
export type SocketEnd = { readonly kind: "dropped" } | { readonly kind: "resets"; readonly code: string };

export const RESET = { kind: "resets", code: "ECONNRESET" } as const;

/** What is offered over TLS; nothing without it. */
export type OfferedProtocol = "http/1.1" | "h2";

/**
 * Opens a connection, and calls `onReady` when requests can be sent. Over TLS `protocol` is offered, and certificates are verified with
 * what Node trusts (and `NODE_EXTRA_CA_CERTS`), unless the destination is `insecure`; the environment cannot switch that off.
 */
export function openSocket(
  { secure, host, port, insecure }: Destination,
  onReady: () => void,
  protocol?: OfferedProtocol,
): Socket {
  if (!secure) return net.connect({ host, port }, onReady).setNoDelay();
  const options = {
    host,
    port,
    rejectUnauthorized: !insecure,
    ...defined({
      ALPNProtocols: protocol === undefined ? undefined : [protocol],
      servername: net.isIP(host) === 0 ? host : undefined,
    }),
  };
  return tls.connect(options, onReady).setNoDelay();
}

/**
 * Tells how a connection ended, to be asked while `end` is told. Node reports an orderly end where a reset came together with the
 * last bytes (libuv takes the hang-up for the end of the stream), but a connection that was closed still has a peer. Nobody may
 * have asked for its address before.
 */
export function endOf(socket: Pick<ConnectionSocket, "remoteAddress">): SocketEnd {
  return socket.remoteAddress === undefined ? RESET : { kind: "dropped" };
}

/** Counts all bytes of a socket, or with -1 takes its bytes so far away again. */
export function countBytes({ recorder: { counts } }: LoadRun, socket: Socket, times: 1 | -1 = 1): void {
  counts.received += times * socket.bytesRead;
  counts.written += times * socket.bytesWritten;
}

/** Error codes of HTTP/2, by number (RFC 9113, section 7). */
const HTTP2_ERRORS: readonly string[] = (
  "NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR " +
  "REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED"
).split(" ");

/** Returns the name of an error code of HTTP/2, as in `RST_STREAM` and `GOAWAY` frames; one without a name is its number. */
export function nameHttp2Error(code: number): string {
  return HTTP2_ERRORS[code] ?? String(code);
}
