import type { Socket } from "node:net";

/** How the body of a request comes: not at all, with a length in bytes, or in chunks. */
type BodyLength = "none" | "chunked" | number;

/** What headers say of a request, whatever it asks for. */
export interface HeadersPart {
  /** As it goes into the header; absent for a client of HTTP/1.0 that sent none. */
  readonly host: string | undefined;
  /** Flat: name, value, name, value; as they were spelled and in their order, `Host` included. */
  readonly headers: readonly string[];
  readonly body: BodyLength;
  /** Whether the client waits to be told to send the body. */
  readonly expectsContinue: boolean;
}

/** What a connection's last request without a body said in its headers, and what was made of that. */
export interface ReadBefore {
  readonly raw: readonly string[];
  readonly httpVersion: string;
  readonly part: HeadersPart;
}

/** Who is at the other end of a client's connection, as backends are told. */
export interface Peer {
  /**
   * The headers that tell a backend who asked, flat: `X-Forwarded-For`, `-Proto`, `-Host`, `-Port` and `Forwarded` (RFC
   * 7239). The same array for the same host as the last time.
   */
  readonly forwardedHeaders: (host: string | undefined) => readonly string[];
  /** For `readRequestHead`, which keeps it here as long as the connection is open. */
  last: ReadBefore | undefined;
}

const peers = new WeakMap<Socket, Peer>();

/** The peer of a connection; made once for each. */
export function peerOf(socket: Socket, secure: boolean): Peer {
  let peer = peers.get(socket);
  if (peer === undefined) {
    peer = createPeer(socket.remoteAddress, secure);
    peers.set(socket, peer);
  }
  return peer;
}

/** The peer at an address, which is unknown for a Unix socket. */
function createPeer(address: string | undefined, secure: boolean): Peer {
  const proto = secure ? "https" : "http";
  let lastHost: string | undefined;
  let lastHeaders: readonly string[] | undefined;
  return {
    last: undefined,
    forwardedHeaders: (host) => {
      if (lastHeaders === undefined || host !== lastHost) {
        lastHost = host;
        lastHeaders = makeHeaders(address, proto, host);
      }
      return lastHeaders;
    },
  };
}

function makeHeaders(address: string | undefined, proto: string, host: string | undefined): readonly string[] {
  const port = /:(\d+)$/.exec(host ?? "")?.[1] ?? (proto === "https" ? "443" : "80");
  const forwarded = [
    `for=${nodeName(address)}`,
    ...(host === undefined ? [] : [`host=${quote(host)}`]),
    `proto=${proto}`,
  ];
  return [
    ...(address === undefined ? [] : ["X-Forwarded-For", address]),
    "X-Forwarded-Proto",
    proto,
    ...(host === undefined ? [] : ["X-Forwarded-Host", host]),
    "X-Forwarded-Port",
    port,
    "Forwarded",
    forwarded.join(";"),
  ];
}

function nodeName(address: string | undefined): string {
  if (address === undefined) return "unknown";
  return address.includes(":") ? `"[${address}]"` : address;
}

function quote(host: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(host) ? host : `"${host}"`;
}
