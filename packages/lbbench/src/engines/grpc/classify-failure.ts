import { status, type Metadata, type StatusObject } from "@grpc/grpc-js";
import type { RequestFailure } from "../requester.js";
import { nameHttp2Error } from "../sockets.js";

/**
 * Tells statuses that the server sent from those that the client library makes up when there was no answer.
 *
 * The library gives both alike. What came from the server either had headers before (`headers`) or, where the status came
 * at once, brings those headers in its own metadata; what the library makes up has an empty metadata, and one of the
 * texts that are looked for here. The ground-truth tests compare every count with the server's.
 *
 * @param headers those with which an answer began, if one did.
 */
export function classifyFailure(error: StatusObject, headers: Metadata | undefined): RequestFailure {
  const { code, details, metadata } = error;
  const http = /^Received HTTP status code (\d+)$/.exec(details)?.[1];
  if (http !== undefined && http !== "200") return { kind: "non2xx", status: `HTTP ${http}` };
  const [contentType = "application/grpc"] = [...(headers ?? metadata).get("content-type")].map(String);
  const isOkWithoutMessage = code === status.UNIMPLEMENTED && details === "No message received";
  if (http === "200" || isOkWithoutMessage || !contentType.startsWith("application/grpc")) {
    return { kind: "mismatched", code: "INVALID_RESPONSE" };
  }
  const isMadeUp = Object.keys(metadata.getMap()).length === 0;
  const failure = isMadeUp ? withoutAnswer(code, details) : undefined;
  if (failure !== undefined) return failure;
  return isMadeUp && headers === undefined
    ? { kind: "dropped", code: systemCode(details) ?? "UNKNOWN" }
    : { kind: "non2xx", status: status[code] ?? String(code) };
}

/** What the library says when a call had no connection, lost it, or was ended by the server without a status. */
function withoutAnswer(code: status, details: string): RequestFailure | undefined {
  if (/^(No connection established|Name resolution failed)/.test(details)) {
    const named = CONNECT_CODES.find(([text]) => details.includes(text))?.[1];
    return { kind: "connectErrors", code: systemCode(details) ?? named ?? "UNKNOWN" };
  }
  // The server reset the stream of the call, and not the connection, which stays open.
  const number = /^Received RST_STREAM with code (\d+)/.exec(details)?.[1];
  const reset = number === undefined ? RESET_TEXTS.get(details) : nameHttp2Error(Number(number));
  // Closed in order, but without an answer.
  if (reset === "NO_ERROR") return { kind: "dropped" };
  if (reset !== undefined) return { kind: "resets", code: `RST_STREAM_${reset}` };
  if (code !== status.UNAVAILABLE || !/^(Connection dropped|read |write |Write )/.test(details)) return undefined;
  const lost = systemCode(details);
  return lost === undefined ? { kind: "dropped" } : { kind: "resets", code: lost };
}

/** Texts of the library in place of a code of RST_STREAM. */
const RESET_TEXTS: ReadonlyMap<string, string> = new Map([
  ["Stream refused by server", "REFUSED_STREAM"],
  ["Call cancelled", "CANCEL"],
  ["Bandwidth exhausted or memory limit exceeded", "ENHANCE_YOUR_CALM"],
  ["Protocol not secure enough", "INADEQUATE_SECURITY"],
]);

/** Words of OpenSSL, whose codes the library leaves out, and of the library itself. */
const CONNECT_CODES: readonly (readonly [text: string, code: string])[] = [
  ["self-signed certificate in certificate chain", "SELF_SIGNED_CERT_IN_CHAIN"],
  ["self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ["unable to verify the first certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ["unable to get local issuer certificate", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
  ["certificate has expired", "CERT_HAS_EXPIRED"],
  ["certificate is not yet valid", "CERT_NOT_YET_VALID"],
  ["does not match certificate's altnames", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ["SSL routines", "EPROTO"],
  ["Protocol error", "ERR_HTTP2_ERROR"],
  ["Failed to connect", "CLOSED_IN_HANDSHAKE"],
  ["Name resolution failed", "ENOTFOUND"],
];

/** `read ECONNRESET`, `connect ECONNREFUSED 127.0.0.1:1`: a word in capitals after a small one; a host is not that. */
function systemCode(details: string): string | undefined {
  return /(?:^|[ :])[a-z]+ (E[A-Z0-9_]{3,})\b/.exec(details)?.[1];
}
