/** Error codes of HTTP/2, by number (RFC 9113, section 7). */
const NAMES: readonly string[] = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
];

/** Returns the name of an error code of HTTP/2, as in `RST_STREAM` and `GOAWAY` frames; one without a name is its number. */
export function nameHttp2Error(code: number): string {
  return NAMES[code] ?? String(code);
}
