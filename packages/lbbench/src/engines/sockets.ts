import net, { type Socket } from "node:net";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { performance } from "node:perf_hooks";
import tls from "node:tls";
import type { ConnectionSocket } from "@lbbench/wire";
import type { TlsSpec } from "../model/scenario.js";
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
  /** A Unix socket that stands for host and port, which then only name it. */
  readonly path?: string | undefined;
  /** The name that is asked for and verified; by default `host`. */
  readonly serverName?: string | undefined;
  /** Certificates, keys and versions of TLS, read once for all connections; absent without TLS. */
  readonly secureContext?: tls.SecureContext | undefined;
  /** Where the session of the last handshake is kept, for the next one to go on with; absent where each is made in full. */
  readonly sessions?: { last?: Buffer } | undefined;
  /** The address of IPv4 to connect from; without it the system chooses. */
  readonly localAddress?: string | undefined;
}

/** A handshake that came to its end. */
export interface Handshake {
  /** How long it took, from TCP being connected, in microseconds. */
  readonly us: number;
  readonly resumed: boolean;
  /** Version, cipher and key of the server: `TLSv1.3, TLS_AES_256_GCM_SHA384, EC prime256v1`. */
  readonly agreed: string;
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
  { secure, host, port, path, insecure, secureContext, serverName = host, sessions, localAddress }: Destination,
  onReady: () => void,
  protocol?: OfferedProtocol,
): Socket {
  const from = localAddress === undefined ? {} : { localAddress, family: 4 };
  const place = path === undefined ? { host, port, ...from } : { path };
  const remember = <Opened extends Socket>(socket: Opened): Opened => {
    if (path !== undefined) BY_PATH.add(socket);
    return socket.setNoDelay();
  };
  if (!secure) return remember(net.connect(place, onReady));
  const options = {
    ...place,
    rejectUnauthorized: !insecure,
    ...defined({
      secureContext,
      ALPNProtocols: protocol === undefined ? undefined : [protocol],
      servername: net.isIP(serverName) === 0 ? serverName : undefined,
      session: sessions?.last,
    }),
    // Whatever place it is connected to, and addresses too, which are not asked for.
    checkServerIdentity: (_host: string, shown: tls.PeerCertificate) => tls.checkServerIdentity(serverName, shown),
  };
  let tcpAtMs = performance.now();
  const onSecure = (): void => {
    HANDSHAKE_US.set(socket, (performance.now() - tcpAtMs) * 1000);
    onReady();
  };
  const socket = remember(tls.connect(options, onSecure));
  socket.once("connect", () => (tcpAtMs = performance.now()));
  if (sessions !== undefined) socket.on("session", (session) => (sessions.last = session));
  return socket;
}

/** How long the handshakes of connections took. */
const HANDSHAKE_US = new WeakMap<object, number>();

/**
 * Tells, from when the socket is ready, how its handshake ended; `undefined` without TLS. The key is that of the first certificate
 * that the load was shown, because to read one takes longer than a handshake that is resumed.
 */
export function handshakeOf(socket: object, { secureContext }: Destination): Handshake | undefined {
  if (!(socket instanceof tls.TLSSocket)) return undefined;
  const cipher = socket.getCipher() as ReturnType<tls.TLSSocket["getCipher"]> | undefined;
  const key = secureContext && keyOf(socket, secureContext);
  const agreed = [socket.getProtocol(), cipher?.standardName ?? cipher?.name, key].filter(Boolean).join(", ");
  return { us: HANDSHAKE_US.get(socket) ?? 0, resumed: socket.isSessionReused(), agreed };
}

/** What servers have shown, by what the connections of a load share. */
const KEYS = new WeakMap<tls.SecureContext, string>();

function keyOf(socket: tls.TLSSocket, shared: tls.SecureContext): string {
  const known = KEYS.get(shared);
  if (known !== undefined) return known;
  const { bits, nistCurve, asn1Curve } = socket.getPeerCertificate() as Partial<tls.PeerCertificate>;
  const curve = asn1Curve ?? nistCurve;
  const key = curve !== undefined ? `EC ${curve}` : bits !== undefined ? `RSA ${bits}` : "";
  KEYS.set(shared, key);
  return key;
}

/** Throws an `Error` for a certificate that cannot be shown, with what was expected and what came. */
export function checkTls(spec: TlsSpec = {}, folder: string): void {
  try {
    secureContextOf(spec, folder);
  } catch (error) {
    throw new Error(
      `tls (--cert, --key): expected files of a certificate and of its key, in PEM, got ${spec.cert} and ${spec.key}: ${(error as Error).message}. Name those that belong together.`,
      { cause: error },
    );
  }
}

/**
 * Makes what all connections of a load share of TLS. Paths begin in `folder`. Throws what the system says of a file that cannot be read, and
 * OpenSSL of what is in it.
 *
 * @param trusted the only certificate that is trusted, in PEM; by default what Node trusts.
 */
export function secureContextOf(
  { version, cert, key: keyFile }: TlsSpec,
  folder: string,
  trusted?: string,
): tls.SecureContext {
  const read = (path: string | undefined): Buffer | undefined =>
    path === undefined ? undefined : readFileSync(resolve(folder, path));
  const only = version === undefined ? undefined : (`TLSv${version}` as const);
  const files = { ca: trusted, cert: read(cert), key: read(keyFile) };
  return tls.createSecureContext(defined({ ...files, minVersion: only, maxVersion: only }));
}

/** Connections to Unix sockets, whose peers have no address. */
const BY_PATH = new WeakSet<object>();

/**
 * Tells how a connection ended, to be asked while `end` is told. Node reports an orderly end where a reset came together with the
 * last bytes (libuv takes the hang-up for the end of the stream), but a connection that was closed still has a peer. Nobody may
 * have asked for its address before.
 */
export function endOf(socket: Pick<ConnectionSocket, "remoteAddress">): SocketEnd {
  return socket.remoteAddress === undefined && !BY_PATH.has(socket) ? RESET : { kind: "dropped" };
}
