import net, { type Socket } from "node:net";
import tls from "node:tls";
import type { ConnectionSocket } from "@lbbench/wire";
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
  /** The only certificate that is trusted, in PEM, in place of what Node trusts. */
  readonly certificate?: string | undefined;
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
  { secure, host, port, insecure, certificate }: Destination,
  onReady: () => void,
  protocol?: OfferedProtocol,
): Socket {
  if (!secure) return net.connect({ host, port }, onReady).setNoDelay();
  const options = {
    host,
    port,
    rejectUnauthorized: !insecure,
    ...defined({
      ca: certificate,
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
