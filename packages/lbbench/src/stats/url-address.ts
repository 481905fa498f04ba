/** The scheme in the URL of a target by what it speaks, without TLS; over TLS an `s` follows. */
export const SCHEMES = Object.freeze({ http: "http", grpc: "grpc", websocket: "ws" });

/** The ports of the schemes of targets; everything else is asked at that of http. */
const DEFAULT_PORTS: ReadonlyMap<string, number> = new Map([
  ["http:", 80],
  ["https:", 443],
  ["grpc:", 80],
  ["grpcs:", 443],
  ["ws:", 80],
  ["wss:", 443],
]);

/** Where a URL is answered. */
export interface Address {
  /** A name or an address to connect to; one of IPv6 without its brackets. */
  readonly host: string;
  readonly port: number;
}

/** Returns the host and the port of a URL, the port of its scheme where it names none. */
export function addressOf(url: string | URL): Address {
  const { hostname, port, protocol } = new URL(url);
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port) || (DEFAULT_PORTS.get(protocol) ?? 80),
  };
}

/** Schemes over TLS. */
const SECURE: ReadonlySet<string> = new Set(["https:", "grpcs:", "wss:"]);

/** Whether TLS is spoken at a URL. */
export function isSecure(url: string): boolean {
  return SECURE.has(new URL(url).protocol);
}

/** A Unix socket. */
export interface SocketPath {
  readonly path: string;
}

/** Where `host:port`, or `unix:` and a path, is. */
export function placeOf(place: string): Address | SocketPath {
  return place.startsWith(UNIX) ? { path: place.slice(UNIX.length) } : addressOf(`http://${place}`);
}

const UNIX = "unix:";

/** Where the connections of a load are made to: in place of the address of its URL what `connectTo` names; none at a Unix socket. */
export function connectedTo(url: string, connectTo?: string): Address | undefined {
  const place = connectTo === undefined ? addressOf(url) : placeOf(connectTo);
  return "path" in place ? undefined : place;
}

/** `10.0.0.1:5557`, and `[::1]:5557` of IPv6. */
export function formatAddress({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** An address to listen at, as other machines have to name it: `HOST:5557` where it stands for every address of this one. */
export function addressFromElsewhere({ host, port }: Address): string {
  return formatAddress({ host: host === "0.0.0.0" || host === "::" ? "HOST" : host, port });
}

/** Whether an address, or the host of a URL, is of the loopback. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}

/** Returns the scheme, host and port of a URL. `URL.origin` knows the schemes of browsers only, not `grpc:`. */
export function originOf(url: string | URL): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
