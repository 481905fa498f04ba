/** The error codes of HTTP/2 (RFC 9113, 7). */
export const HTTP2 = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  SETTINGS_TIMEOUT: 4,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  CONNECT_ERROR: 10,
  ENHANCE_YOUR_CALM: 11,
  INADEQUATE_SECURITY: 12,
  HTTP_1_1_REQUIRED: 13,
} as const;

const NAMES: readonly string[] = Object.keys(HTTP2);

/** The name of an error code, such as `REFUSED_STREAM`. A code that RFC 9113 does not know is returned as a number: `99`. */
export function nameHttp2Error(code: number): string {
  return NAMES[code] ?? String(code);
}

/** The other side has broken the protocol. The message says what was expected and what came. */
export class Http2Error extends Error {
  override readonly name = "Http2Error";

  /** `code`: one of `HTTP2`, to be told to the other side. */
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

/** The error for what has no code of its own. */
export function protocolError(message: string): Http2Error {
  return new Http2Error(HTTP2.PROTOCOL_ERROR, message);
}
