import type { RequestFailure } from "../requester.js";
import { nameHttp2Error, type SocketEnd } from "../sockets.js";

/** What is known of a connection of HTTP/2 on which a request ended without a complete answer. */
export interface LostConnection {
  readonly connected: boolean;
  /** How the other side ended it, if it did. */
  readonly end: SocketEnd | undefined;
  /** What the server said last of ending it, and which stream it is the last to deal with. */
  readonly goaway?: { readonly code: number; readonly lastStreamId: number } | undefined;
  /** Whether the server has spoken HTTP/2 on it. */
  readonly spoken: boolean;
}

const UNKNOWN = "UNKNOWN";
const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;

/** What becomes of requests to a server that answers HTTP/2 in another language. */
export const NOT_SPOKEN: RequestFailure = { kind: "mismatched", code: "ERR_HTTP2_NOT_SPOKEN" };
/** What Node says of a stream that was reset by the server. */
const STREAM_RESET = "ERR_HTTP2_STREAM_ERROR";
/** What Node says of streams that ended with their connection; all other errors of HTTP/2 it found itself. */
const ENDED_WITH_CONNECTION: ReadonlySet<string> = new Set(["ERR_HTTP2_SESSION_ERROR", "ERR_HTTP2_STREAM_CANCEL"]);

/**
 * Tells what became of a request without a complete answer. What the server said of the request itself counts first (it reset the
 * stream), then how the connection ended, and what the server said as it ended it. A stream against the protocol counts as an
 * answer that cannot be read: Node does not tell who found it so.
 *
 * @param rstCode of the stream; 0 also where nothing was said.
 */
export function classifyFailure(
  { code = UNKNOWN }: NodeJS.ErrnoException = new Error(),
  { connected, end, goaway, spoken }: LostConnection,
  rstCode: number,
): RequestFailure {
  if (!connected) return { kind: "connectErrors", code };
  if (spoken && code === STREAM_RESET) return classifyStreamReset(rstCode);
  if (end !== undefined) return end;
  if (goaway !== undefined && goaway.code !== NO_ERROR) {
    return { kind: "resets", code: `GOAWAY_${nameHttp2Error(goaway.code)}` };
  }
  if (!spoken) return NOT_SPOKEN;
  // Node found it against the protocol.
  if (code.startsWith("ERR_HTTP2") && !ENDED_WITH_CONNECTION.has(code)) return { kind: "mismatched", code };
  return classifyStreamReset(rstCode);
}

function classifyStreamReset(rstCode: number): RequestFailure {
  if (rstCode === NO_ERROR) return { kind: "dropped" };
  return {
    kind: rstCode === PROTOCOL_ERROR ? "mismatched" : "resets",
    code: `RST_STREAM_${nameHttp2Error(rstCode)}`,
  };
}
