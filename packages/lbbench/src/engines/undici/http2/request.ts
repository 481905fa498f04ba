import type { OutgoingHttpHeaders } from "node:http2";
import { Duplex } from "node:stream";
import type { RequestSpec } from "../../../model/scenario.js";
import { announcesBody, basicCredentials, bodyBytes } from "../../requests.js";

/** One request as it is given to Node: pseudo-headers first. */
export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  /** `null` for none: the headers end the request. */
  readonly body: Buffer | null;
}

/**
 * Works out how a request to `url` is sent over HTTP/2, by the rules of HTTP/1.1 as far as there is the same: names in lower
 * case, in the order in which they are given; a name that is repeated has its values one after the other where it comes
 * first. `Host` becomes `:authority`, and there is no `Connection`.
 */
export function http2Request(url: URL, request: RequestSpec): Http2Request {
  const given = new Map<string, string[]>();
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  const body = bodyBytes(request);
  const authority = given.get("host")?.[0] ?? url.host;
  given.delete("host");
  const credentials = given.has("authorization") ? undefined : basicCredentials(url);
  return {
    headers: {
      ":method": request.method,
      ":scheme": url.protocol.slice(0, -1),
      ":authority": authority,
      ":path": `${url.pathname}${url.search}`,
      ...(credentials === undefined ? {} : { authorization: credentials }),
      ...(announcesBody(request) && !given.has("content-length") ? { "content-length": String(body.length) } : {}),
      ...Object.fromEntries([...given].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    },
    body: body.length === 0 ? null : body,
  };
}

/** Headers that are about the connection, which HTTP/2 has no use for (RFC 9113, 8.2.2). */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Rejects with an `Error` when a request cannot be sent over HTTP/2: because of a header that is about the connection, or
 * one that Node refuses, such as a second `Content-Type`.
 */
export async function checkHttp2Request(request: RequestSpec): Promise<void> {
  const ofConnection = request.headers.find(([name]) => OF_CONNECTION.has(name.toLowerCase()));
  if (ofConnection !== undefined) {
    throw new Error(
      `Expected headers of a request over HTTP/2, got "${ofConnection[0]}", which is about the connection and does not exist there. Leave it out, or use HTTP/1.1.`,
    );
  }
  const why = await refusalOfNode(request);
  if (why === undefined) return;
  throw new Error(`Expected a request that can be sent over HTTP/2, got one that Node refuses: ${why}`);
}

/** Any will do: what is checked does not depend on where it goes. */
const SOMEWHERE = new URL("http://localhost/");

/** Gives the request to a session that leads nowhere; returns what Node has against it. */
async function refusalOfNode(request: RequestSpec): Promise<string | undefined> {
  const { connect } = await import("node:http2");
  const nowhere = new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
  const session = connect(SOMEWHERE, { createConnection: () => nowhere });
  session.on("error", () => {});
  try {
    const stream = session.request({ ...http2Request(SOMEWHERE, request).headers }, { endStream: true });
    return await new Promise((resolve) => {
      stream.on("error", ({ message }) => resolve(message));
      // What Node finds only when it sends the request, it tells before this.
      setImmediate(() => resolve(undefined));
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    session.destroy();
    nowhere.destroy();
  }
}
