import { connect, type OutgoingHttpHeaders } from "node:http2";
import { Duplex } from "node:stream";
import type { RequestSpec } from "../../model/scenario.js";
import { bodyBytes, sentHeaders } from "../requests.js";

/** One request as it is given to Node: pseudo-headers first. */
export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  /** `null` for none: the headers end the request. */
  readonly body: Buffer | null;
}

/**
 * Works out how a request to `url` is sent over HTTP/2, by the rules of HTTP/1.1 as far as there is the same: names in lower
 * case, in order; a name that is repeated has all its values where it comes first. `Host` becomes `:authority`.
 */
export function http2Request(url: URL, request: RequestSpec): Http2Request {
  const fields = new Map<string, string[]>();
  for (const [name, value] of sentHeaders(url, request)) {
    const key = name.toLowerCase();
    fields.set(key, [...(fields.get(key) ?? []), value]);
  }
  const [authority = url.host] = fields.get("host") ?? [];
  fields.delete("host");
  const body = bodyBytes(request);
  return {
    headers: {
      ":method": request.method,
      ":scheme": url.protocol.slice(0, -1),
      ":authority": authority,
      ":path": `${url.pathname}${url.search}`,
      ...Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    },
    body: body.length === 0 ? null : body,
  };
}

const SOMEWHERE = new URL("http://localhost/");

/** Throws an `Error` for a request that Node does not send over HTTP/2: with a header about the connection, or `Content-Type` twice. */
export function checkHttp2Request(request: RequestSpec): void {
  const session = connect(SOMEWHERE, {
    createConnection: () => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() }),
  });
  session.on("error", () => {});
  try {
    session.request({ ...http2Request(SOMEWHERE, request).headers }, { endStream: true }).on("error", () => {});
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Expected a request that can be sent over HTTP/2, got one that Node refuses: ${why}. Change it, or use HTTP/1.1.`,
      { cause: error },
    );
  } finally {
    session.destroy();
  }
}
