import { nameHttp2Error } from "../../http2-error-names.js";
import type { RequestFailure } from "../classify-failure.js";
import type { Http2Connection } from "./open-connection.js";

/** How a stream ended without a complete answer. */
export interface StreamEnd {
  /** Of `RST_STREAM`; 0 also where there was none. */
  readonly rstCode: number;
  /** What Node says of it, if anything. */
  readonly error: NodeJS.ErrnoException | undefined;
}

const NO_ERROR = 0;
const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 7;

/** What is said of a server that answers in another language. */
export const NOT_SPOKEN = "ERR_HTTP2_NOT_SPOKEN";

/** What Node says of streams that ended with their connection; all other errors it found itself. */
const TOLD: ReadonlySet<string> = new Set(["ERR_HTTP2_SESSION_ERROR", "ERR_HTTP2_STREAM_CANCEL"]);

/**
 * Tells what became of a request. What the server said of the stream itself counts first, then how the connection ended, and
 * what the server said as it ended it. Node does not tell who found a stream to be against the protocol: it counts as an
 * answer that cannot be read, also where it was the server that said so.
 */
export function classifyStream(
  { rstCode, error }: StreamEnd,
  { ending, goaway, spoken }: Pick<Http2Connection, "ending" | "goaway" | "spoken">,
): RequestFailure {
  const { code } = error ?? {};
  if (code === "ERR_HTTP2_STREAM_ERROR") return classifyReset(rstCode);
  if (ending !== undefined) return ending;
  if (goaway !== undefined && goaway.code !== NO_ERROR) {
    return { kind: "resets", code: `GOAWAY_${nameHttp2Error(goaway.code)}` };
  }
  if (code !== undefined && code.startsWith("ERR_HTTP2") && !TOLD.has(code)) {
    return { kind: "mismatched", code: spoken ? code : NOT_SPOKEN };
  }
  return classifyReset(rstCode);
}

function classifyReset(rstCode: number): RequestFailure {
  if (rstCode === NO_ERROR) return { kind: "dropped" };
  return { kind: rstCode === PROTOCOL_ERROR ? "mismatched" : "resets", code: `RST_STREAM_${nameHttp2Error(rstCode)}` };
}

/**
 * Whether a server that ends the connection in order left a request alone, which it may do with those that came when it had
 * made up its mind; they are to be sent again on another connection. One that dealt with none at all is no such server.
 *
 * @param streamId of the request.
 */
export function wasLeftAlone(
  { rstCode }: StreamEnd,
  streamId: number,
  { goaway }: Pick<Http2Connection, "goaway">,
): boolean {
  if (rstCode !== REFUSED_STREAM || goaway === undefined || goaway.code !== NO_ERROR) return false;
  return goaway.lastStreamId > 0 && streamId > goaway.lastStreamId;
}
