import type { RequestFailure } from "../requester.js";
import { nameHttp2Error, type SocketEnd } from "../sockets.js";

/** What is known of a connection on which a request ended without a complete answer. */
export interface LostConnection {
  readonly connected: boolean;
  /** How the other side ended it, if it did. */
  readonly end: SocketEnd | undefined;
  /** What the server said last of ending it (HTTP/2), and which stream it is the last to deal with. */
  readonly goaway?: { readonly code: number; readonly lastStreamId: number } | undefined;
  /** Whether the server has spoken HTTP/2 on it; absent over HTTP/1.1. */
  readonly spoken?: boolean;
}

const UNKNOWN = "UNKNOWN";
/** Of HTTP/2. */
const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;

/** What becomes of requests to a server that answers HTTP/2 in another language. */
export const NOT_SPOKEN: RequestFailure = { kind: "mismatched", code: "ERR_HTTP2_NOT_SPOKEN" };
/** What Node says of a stream that was reset by the server. */
const STREAM_RESET = "ERR_HTTP2_STREAM_ERROR";
/** What Node says of streams that ended with their connection; all other errors of HTTP/2 it found itself. */
const ENDED_WITH_CONNECTION: ReadonlySet<string> = new Set(["ERR_HTTP2_SESSION_ERROR", "ERR_HTTP2_STREAM_CANCEL"]);
/** What undici says of an answer that it could not read, where that says less than ours. */
const UNREADABLE: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", UNKNOWN]);

/**
 * Tells what became of a request without a complete answer. What the server said of the request itself counts first (it reset the
 * stream), then how the connection ended (undici calls it an error of the answer when it is closed), and what the server said as
 * it ended it. A stream against the protocol counts as an answer that cannot be read: Node does not tell who found it so.
 *
 * @param rstCode of the stream, over HTTP/2; 0 also where nothing was said.
 */
export function classifyFailure(
  error: NodeJS.ErrnoException | undefined,
  { connected, end, goaway, spoken = true }: LostConnection,
  rstCode?: number,
): RequestFailure {
  const { code = UNKNOWN } = error ?? {};
  if (!connected) return { kind: "connectErrors", code };
  if (rstCode !== undefined && spoken && code === STREAM_RESET) return classifyStreamReset(rstCode);
  if (end !== undefined) return end;
  if (goaway !== undefined && goaway.code !== NO_ERROR) {
    return { kind: "resets", code: `GOAWAY_${nameHttp2Error(goaway.code)}` };
  }
  if (!spoken) return NOT_SPOKEN;
  const fault = faultOfAnswer(error);
  if (fault !== undefined) return { kind: "mismatched", code: fault };
  return rstCode === undefined ? { kind: "resets", code } : classifyStreamReset(rstCode);
}

function classifyStreamReset(rstCode: number): RequestFailure {
  if (rstCode === NO_ERROR) return { kind: "dropped" };
  return {
    kind: rstCode === PROTOCOL_ERROR ? "mismatched" : "resets",
    code: `RST_STREAM_${nameHttp2Error(rstCode)}`,
  };
}

/** What undici or Node has against an answer; `undefined` for an error of the system, which is about the connection. */
export function faultOfAnswer(error: NodeJS.ErrnoException | undefined): string | undefined {
  if (error === undefined) return undefined;
  const { name, code = UNKNOWN } = error;
  if (name === "HTTPParserError" || code.startsWith("UND_ERR_"))
    return UNREADABLE.has(code) ? "INVALID_RESPONSE" : code;
  return code.startsWith("ERR_HTTP2") && !ENDED_WITH_CONNECTION.has(code) ? code : undefined;
}
