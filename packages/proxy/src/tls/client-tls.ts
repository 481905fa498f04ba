import { randomBytes } from "node:crypto";
import type { Server as TcpServer, Socket } from "node:net";
import { createServer, type Server, type TlsOptions as ServerOptions, type TLSSocket } from "node:tls";
import { BALANCER_DEFAULTS } from "../options/defaults.js";
import type { HandshakeCounts, TlsOptions } from "../options/options.js";
import { resolveTls, type ResolvedTls, TICKET_KEYS_BYTES } from "../options/resolve-tls.js";
import { startTimer } from "../start-timer.js";
import { findByName, groupCertificates, sessionContextOf } from "./certificates.js";
import { nameAskedIn } from "./client-hello.js";

/** TLS with the clients of a balancer. */
export type ClientTls = ReturnType<typeof speakTls>;

/**
 * Has a server, which does not listen yet, speak TLS on its connections; `onClient` is called for each whose handshake has ended well. Sessions are resumed by
 * tickets, which are encrypted with `ticketKeys`; where there are none it makes some, and others from time to time while it listens.
 *
 * Each group of names has a TLS server of its own, which does not listen and is given its connections. Node's own way to choose by name, `SNICallback`,
 * cannot take out the first certificate: an EC one would be shown beside an RSA one of the name that was asked for.
 */
export function speakTls(
  server: TcpServer,
  { certificates, ticketKeys: given }: ResolvedTls,
  options: ServerOptions & { readonly handshakeTimeout: number },
  onClient: (socket: TLSSocket) => void,
) {
  const counts = { full: 0, resumed: 0, failed: 0 };
  let ticketKeys = given ?? newTicketKeys();
  const identify = (pairs: ResolvedTls["certificates"]) => {
    const named = groupCertificates(pairs).map((group) => {
      const { names, cert, key } = group;
      const value = createServer({ ...options, cert, key, sessionIdContext: sessionContextOf(group), ticketKeys });
      value.on("secureConnection", (socket: TLSSocket) => {
        counts[socket.isSessionReused() ? "resumed" : "full"] += 1;
        onClient(socket);
      });
      value.on("tlsClientError", (_error: Error, socket: Socket) => {
        counts.failed += 1;
        // Node itself leaves a connection open whose handshake fails or takes too long.
        socket.destroy();
      });
      return { names, value };
    });
    const all = named.map(({ value }) => value);
    const known = findByName(named);
    return {
      all,
      /** For a client that asks for a name (SNI); the first for one that is unknown. Checked options have one certificate at least. */
      find: (name: string): Server => known(name) ?? (all[0] as Server),
      /** The only one there is, where there is no choice. */
      only: all.length === 1 ? all[0] : undefined,
    };
  };
  let identities = identify(certificates);

  server.on("connection", (socket: Socket) => {
    if (identities.only !== undefined) identities.only.emit("connection", socket);
    else {
      readName(socket, options.handshakeTimeout, (name) => {
        if (name === undefined) counts.failed += 1;
        else identities.find(name).emit("connection", socket);
      });
    }
  });
  if (given === undefined) {
    server.once("listening", () => {
      const stop = changeTicketKeys((keys) => {
        ticketKeys = keys;
        for (const identity of identities.all) identity.setTicketKeys(keys);
      });
      server.once("close", stop);
    });
  }
  return {
    /**
     * Shows other certificates from the next connection on; open connections stay. Throws a `BalancerOptionsError`, without any change, if they
     * cannot be used.
     */
    reload: (tls: TlsOptions): void => {
      const resolved = resolveTls(tls);
      ticketKeys = resolved.ticketKeys ?? ticketKeys;
      identities = identify(resolved.certificates);
    },
    /** How handshakes have ended since it was created. */
    handshakes: (): HandshakeCounts => ({ ...counts }),
  };
}

/**
 * Reads from a new connection for which name its client asks, and puts back what it has read. Tells `undefined` when the client has gone away, or has not
 * said it in time, and the connection is closed.
 */
function readName(socket: Socket, timeoutMs: number, onName: (name: string | undefined) => void): void {
  let begun: Buffer = Buffer.alloc(0);
  const destroy = (): void => void socket.destroy();
  const tell = (name: string | undefined): void => {
    stopTimer();
    socket.off("readable", read).off("end", destroy).off("error", destroy).off("close", onClose);
    onName(name);
  };
  const read = (): void => {
    const bytes = socket.read() as Buffer | null;
    if (bytes === null) return;
    begun = begun.length === 0 ? bytes : Buffer.concat([begun, bytes]);
    const name = nameAskedIn(begun);
    if (name === undefined) return;
    socket.unshift(begun);
    tell(name);
  };
  const onClose = (): void => tell(undefined);
  const stopTimer = startTimer(destroy, timeoutMs);
  socket.on("readable", read).on("end", destroy).on("error", destroy).on("close", onClose);
}

export function newTicketKeys(): Buffer {
  return randomBytes(TICKET_KEYS_BYTES);
}

/** Hands over new keys for tickets from time to time, until it is stopped by what it returns. Keeps no process alive. */
export function changeTicketKeys(change: (keys: Buffer) => void): () => void {
  const timer = setInterval(() => change(newTicketKeys()), BALANCER_DEFAULTS.ticketKeysMs);
  timer.unref();
  return () => clearInterval(timer);
}
