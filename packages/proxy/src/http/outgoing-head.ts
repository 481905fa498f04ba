import type { RequestHead } from "@lbbench/wire";
import type { ResolvedBackend, ResolvedOptions } from "../options/resolve-options.js";

/** What the heads say of the balancer. */
interface Balancer {
  readonly options: ResolvedOptions;
  /** The port that clients connect to; `undefined` for a Unix socket. */
  readonly port: number | undefined;
}

const LINE_END = "\r\n";
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const CONTINUES = "Expect: 100-continue\r\n";
/** It is of the hop, which is to be said (RFC 9110, 10.1.4). */
const TAKES_TRAILERS = "TE: trailers\r\nConnection: TE\r\n";
/** The headers that name the client, in the order in which they are sent. */
const FORWARDED = [
  "X-Forwarded-For",
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "Forwarded",
] as const;

/**
 * Left out always: CGI makes the variable HTTP_PROXY of it, by which libraries send their own requests ("httpoxy"). It has
 * no use.
 */
const NEVER_SENT = ["proxy"];

/** The headers of a client's request that are left out, or sent on in another form. */
export function ownHeaders({
  forwarded,
  underscores,
  via,
}: Pick<ResolvedOptions, "forwarded" | "underscores" | "via">) {
  const names = FORWARDED.map((name) => name.toLowerCase());
  const others = forwarded === "off" || underscores === "pass" ? [] : names.flatMap(withUnderscores);
  return {
    dropped: [...NEVER_SENT, ...others, ...(forwarded === "replace" ? names : [])],
    taken: [...(via === false ? [] : ["via"]), ...(forwarded === "append" ? names : [])],
  };
}

/** All spellings of a name with underscores for some of its hyphens, or for all. */
function withUnderscores(name: string): string[] {
  const [first = "", ...parts] = name.split("-");
  let spellings = [first];
  for (const part of parts) spellings = ["-", "_"].flatMap((sign) => spellings.map((text) => text + sign + part));
  return spellings.filter((spelling) => spelling !== name);
}

/**
 * Makes the heads that backends are sent from those of one client, which come as HTTP/1.1 in every version. Its
 * address is unknown behind a Unix socket.
 */
export class OutgoingHeads {
  readonly #balancer: Balancer;
  readonly #address: string | undefined;
  readonly #version: "1.1" | "2.0";
  /** The own lines of a usual request for the host that was asked for last: it is mostly the same one. */
  #usualLines = "";
  #usualBytes: Buffer | undefined;
  #usualHost: string | undefined;

  constructor(balancer: Balancer, address: string | undefined, version: "1.1" | "2.0") {
    this.#balancer = balancer;
    this.#address = address;
    this.#version = version;
  }

  /**
   * The whole head for a backend, in bytes of its own. `head` has just read it from `bytes`. The balancer's own lines
   * stand in front of the client's: servers keep so many lines and no more, and none of its own may be among the lost.
   */
  make(head: RequestHead, bytes: Buffer): Buffer {
    const isUsual =
      !head.hasTaken && head.upgrade === "" && !head.chunked && !head.isHttp10 && !this.#asksForTrailers(head);
    if (isUsual && head.isWhole && head.isPlainTarget) {
      const own = this.#usualFor(head);
      const { start, linesStart } = head;
      const end = head.linesEnd + LINE_END.length;
      const made = Buffer.allocUnsafe(end - start + own.length);
      bytes.copy(made, 0, start, linesStart);
      own.copy(made, linesStart - start);
      bytes.copy(made, linesStart - start + own.length, linesStart, end);
      return made;
    }
    if (isUsual) this.#usualFor(head);
    const own = isUsual ? this.#usualLines : this.#linesFor(head);
    const kept = head.keptFrom(bytes, head.linesStart);
    return Buffer.from(`${head.method} ${head.path(bytes)} HTTP/1.1${LINE_END}${own}${kept}${LINE_END}`, "latin1");
  }

  /** Trailers are passed on in any case. Some servers of gRPC answer no client that does not ask for them. */
  #asksForTrailers(head: RequestHead): boolean {
    return this.#version === "2.0" && head.takesTrailers;
  }

  #usualFor(head: RequestHead): Buffer {
    if (this.#usualBytes === undefined || this.#usualHost !== head.host) {
      this.#usualLines = this.#linesFor(head);
      this.#usualBytes = Buffer.from(this.#usualLines, "latin1");
      this.#usualHost = head.host;
    }
    return this.#usualBytes;
  }

  #linesFor(head: RequestHead): string {
    const { forwarded, via, expect } = this.#balancer.options;
    let lines = head.chunked ? CHUNKED : "";
    if (this.#asksForTrailers(head)) lines += TAKES_TRAILERS;
    // Some servers, such as Go's net/http, take announced trailers only.
    const announced = this.#version === "2.0" ? head.taken("trailer") : undefined;
    if (announced !== undefined) lines += `Trailer: ${announced}${LINE_END}`;
    if (head.expectsContinue && expect === "forward") lines += CONTINUES;
    if (forwarded !== "off") lines += this.#forwardedLines(head);
    if (via !== false) {
      const earlier = head.taken("via") ?? "";
      lines += `Via: ${earlier}${earlier === "" ? "" : ", "}${head.isHttp10 ? "1.0" : this.#version} ${via}\r\n`;
    }
    if (head.upgrade !== "") lines += `Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n`;
    return lines;
  }

  /** `X-Forwarded-For`, `-Proto`, `-Host`, `-Port` and `Forwarded` (RFC 7239). */
  #forwardedLines(head: RequestHead): string {
    const { options, port } = this.#balancer;
    const proto = options.tls === undefined ? "http" : "https";
    const { host } = head;
    const own: Readonly<Record<(typeof FORWARDED)[number], string | undefined>> = {
      "X-Forwarded-For": this.#address,
      "X-Forwarded-Proto": proto,
      "X-Forwarded-Host": host === "" ? undefined : host,
      // Not what the client says: it may name any port in `Host`.
      "X-Forwarded-Port": port === undefined ? undefined : String(port),
      Forwarded: [
        `for=${nodeName(this.#address)}`,
        ...(host === undefined || host === "" ? [] : [`host=${quote(host)}`]),
        `proto=${proto}`,
      ].join(";"),
    };
    let lines = "";
    for (const name of FORWARDED) {
      const value = this.#joined(name, own[name], head);
      if (value !== undefined) lines += `${name}: ${value}\r\n`;
    }
    return lines;
  }

  /** With `append` lists grow, and the rest says what the first balancer was asked for. */
  #joined(name: string, own: string | undefined, head: RequestHead): string | undefined {
    const earlier = head.taken(name.toLowerCase());
    if (earlier === undefined || own === undefined) return own ?? earlier;
    return name === "X-Forwarded-For" || name === "Forwarded" ? `${earlier}, ${own}` : earlier;
  }
}

/**
 * The same head for one backend: its URL may have a path, which is put before that of the request, and it is named as the
 * host where the client, of HTTP/1.0, has named none.
 */
export function forBackend(head: Buffer, method: string, backend: ResolvedBackend, hasHost: boolean): Buffer {
  const { basePath, host } = backend;
  if (basePath === "" && hasHost) return head;
  const lineEnd = head.indexOf(LINE_END) + LINE_END.length;
  const line = Buffer.from(`${method} ${basePath}`, "latin1");
  const hostLine = Buffer.from(hasHost ? "" : `Host: ${host}${LINE_END}`, "latin1");
  return Buffer.concat([line, head.subarray(method.length + 1, lineEnd), hostLine, head.subarray(lineEnd)]);
}

function nodeName(address: string | undefined): string {
  if (address === undefined) return "unknown";
  return address.includes(":") ? `"[${address}]"` : address;
}

function quote(host: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(host) ? host : `"${host}"`;
}
