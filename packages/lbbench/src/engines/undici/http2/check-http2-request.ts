import { Duplex } from "node:stream";
import type { RequestSpec } from "../../../model/scenario.js";
import { http2Request } from "./http2-request.js";

/** Headers that are about the connection, which HTTP/2 has no use for (RFC 9113, 8.2.2). */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Any will do: what is checked does not depend on where it goes. */
const SOMEWHERE = new URL("http://localhost/");

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
