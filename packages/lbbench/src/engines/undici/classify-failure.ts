import type { FailureClass } from "../../model/measurement.js";
import type { Wire } from "./open-wire.js";

/** What became of a request that has no complete answer. */
export interface RequestFailure {
  readonly kind: FailureClass;
  readonly code?: string;
}

const UNKNOWN = "UNKNOWN";

/** What undici says of an answer that it could not read, where that says less than ours. */
const UNREADABLE: ReadonlySet<string> = new Set(["UND_ERR_SOCKET", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", UNKNOWN]);

/**
 * Tells what an error of undici means. How the connection ended counts first: undici finds the rest of an answer missing,
 * and calls that an error of the answer, because it was closed.
 */
export function classifyFailure(
  error: NodeJS.ErrnoException,
  { connected, ending }: Pick<Wire, "connected" | "ending">,
): RequestFailure {
  const { code = UNKNOWN } = error;
  if (!connected) return { kind: "connectErrors", code };
  if (ending === "resets") return { kind: "resets", code: "ECONNRESET" };
  if (ending === "dropped") return { kind: "dropped" };
  if (!isOfProtocol(error)) return { kind: "resets", code };
  return { kind: "mismatched", code: UNREADABLE.has(code) ? "INVALID_RESPONSE" : code };
}

/** Whether undici finds fault with the answer; the system finds fault with the connection. */
export function isOfProtocol({ name, code = UNKNOWN }: NodeJS.ErrnoException): boolean {
  return name === "HTTPParserError" || code.startsWith("UND_ERR_");
}
