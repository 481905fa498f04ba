import { Metadata } from "@grpc/grpc-js";
import type { HeaderLine } from "../../model/scenario.js";

/** Headers about one connection (RFC 9113, 8.2.2), and those that gRPC sets by itself. */
const NOT_METADATA: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);

/**
 * The metadata of a call, from the headers of the request; values of names that end in `-bin` are base64. `Content-Type`
 * is left out, as a call has its own: so one request can be sent to HTTP and gRPC targets alike. Throws an `Error` for a
 * header that cannot be sent with a call.
 */
export function readMetadata(headers: readonly HeaderLine[]): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key === "content-type") continue;
    if (NOT_METADATA.has(key) || key.startsWith("grpc-")) {
      throw new Error(
        `headers: expected metadata of a call, got "${name}", which gRPC sets by itself or does not have. Leave it out.`,
      );
    }
    try {
      metadata.add(key, key.endsWith("-bin") ? Buffer.from(value, "base64") : value);
    } catch (error) {
      throw new Error(
        `headers: expected metadata of a call, got "${name}: ${value}": ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }
  return metadata;
}
