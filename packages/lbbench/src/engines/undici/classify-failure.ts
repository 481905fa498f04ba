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

/** The reset that undici takes for the end of the answer, if it was one. */
export function resetOf({ socket, ending }: Pick<Wire, "socket" | "ending">): RequestFailure | undefined {
  if (ending === "resets") return { kind: "resets", code: "ECONNRESET" };
  const error: NodeJS.ErrnoException | null = socket.errored;
  return error === null || isOfProtocol(error) ? undefined : classifyFailure(error, { connected: true, ending });
}

/** What undici says of a 101; it knows that nobody asked for one. */
export function isUpgrade(error: Error): boolean {
  return error.message === "bad upgrade";
}

/** What lies behind the error that undici was given for a connection. */
export function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
