import type { RequestHead } from "@lbbench/wire";
import type { ResolvedBackend } from "../options/resolve-options.js";

/** What a balancer adds to the requests that it passes on. */
export interface OutgoingOptions {
  readonly forwarded: "replace" | "append" | "off";
  /** What is added to `Via`; `false` for nothing. */
  readonly via: string | false;
  /** Whether clients speak TLS. */
  readonly secure: boolean;
}

const CHUNKED = "Transfer-Encoding: chunked\r\n";
/** The headers that say who asked, in the order in which they are sent. */
const FORWARDED = [
  "X-Forwarded-For",
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "Forwarded",
] as const;

/** The headers of a client's request that are left out, and those that are taken to be sent on in another form. */
export function ownHeaders({ forwarded }: Pick<OutgoingOptions, "forwarded">) {
  const names = FORWARDED.map((name) => name.toLowerCase());
  return {
    dropped: forwarded === "replace" ? names : [],
    taken: forwarded === "append" ? ["via", ...names] : ["via"],
  };
}

/** Makes the heads that backends are sent from those of one client; its address is unknown behind a Unix socket. */
export class OutgoingHeads {
  readonly #options: OutgoingOptions;
  readonly #address: string | undefined;
  /** What is added to a usual request for the host that was asked for last: it is mostly the same one. */
  #usual: Buffer | undefined;
  #usualHost: string | undefined;

  constructor(options: OutgoingOptions, address: string | undefined) {
    this.#options = options;
    this.#address = address;
  }

  /** The whole head for a backend, in bytes of its own. `head` has just read it from `bytes`. */
  make(head: RequestHead, bytes: Buffer): Buffer {
    const isUsual = !head.hasTaken && head.upgrade === "" && !head.chunked;
    const added = isUsual && !head.isHttp10 ? this.#addedTo(head) : Buffer.from(this.#linesFor(head), "latin1");
    if (head.isWhole && head.isPlainTarget && !head.isHttp10) {
      const size = head.linesEnd - head.start;
      const made = Buffer.allocUnsafe(size + added.length);
      bytes.copy(made, 0, head.start, head.linesEnd);
      added.copy(made, size);
      return made;
    }
    const text = `${head.method} ${head.path(bytes)} HTTP/1.1\r\n${head.keptFrom(bytes, head.linesStart)}`;
    return Buffer.concat([Buffer.from(text, "latin1"), added]);
  }

  #addedTo(head: RequestHead): Buffer {
    if (this.#usual === undefined || this.#usualHost !== head.host) {
      this.#usual = Buffer.from(this.#linesFor(head), "latin1");
      this.#usualHost = head.host;
    }
    return this.#usual;
  }

  /** What stands behind the client's own lines, with the blank line. */
  #linesFor(head: RequestHead): string {
    const { forwarded, via } = this.#options;
    let lines = head.chunked ? CHUNKED : "";
    if (forwarded !== "off") lines += this.#forwardedLines(head);
    const vias = [head.taken("via") ?? "", via === false ? "" : `1.${head.isHttp10 ? 0 : 1} ${via}`].filter(
      (text) => text !== "",
    );
    if (vias.length > 0) lines += `Via: ${vias.join(", ")}\r\n`;
    if (head.upgrade !== "") lines += `Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n`;
    return `${lines}\r\n`;
  }

  /** `X-Forwarded-For`, `-Proto`, `-Host`, `-Port` and `Forwarded` (RFC 7239). */
  #forwardedLines(head: RequestHead): string {
    const proto = this.#options.secure ? "https" : "http";
    const { host } = head;
    const own: Readonly<Record<(typeof FORWARDED)[number], string | undefined>> = {
      "X-Forwarded-For": this.#address,
      "X-Forwarded-Proto": proto,
      "X-Forwarded-Host": host,
      "X-Forwarded-Port": /:(\d+)$/.exec(host ?? "")?.[1] ?? (this.#options.secure ? "443" : "80"),
      Forwarded: [
        `for=${nodeName(this.#address)}`,
        ...(host === undefined ? [] : [`host=${quote(host)}`]),
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
  const { basePath, hostname, port } = backend;
  if (basePath === "" && hasHost) return head;
  const lineEnd = head.indexOf("\r\n") + 2;
  const line = Buffer.from(`${method} ${basePath}`, "latin1");
  const host = Buffer.from(hasHost ? "" : `Host: ${hostname}:${port}\r\n`);
  return Buffer.concat([line, head.subarray(method.length + 1, lineEnd), host, head.subarray(lineEnd)]);
}

function nodeName(address: string | undefined): string {
  if (address === undefined) return "unknown";
  return address.includes(":") ? `"[${address}]"` : address;
}

function quote(host: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(host) ? host : `"${host}"`;
}
