/** The frames of HTTP/2: their kinds, flags and heads, and the settings (RFC 9113, 4 and 6). */

export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const FLAG = { END_STREAM: 0x1, ACK: 0x1, END_HEADERS: 0x4, PADDED: 0x8, PRIORITY: 0x20 } as const;

export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

/** What a client says first (RFC 9113, 3.4). */
export const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** Bytes of a frame's head. */
export const FRAME_HEAD = 9;
/** The largest payload that both sides take without having said anything of it. */
export const FRAME_PAYLOAD = 16_384;
/** Of a window, and of the number of a stream. */
export const MOST_31 = 0x7fffffff;
/** What may be sent on a stream, and on a connection, before anything is said of it. */
export const FIRST_WINDOW = 65_535;

/** Writes the head of a frame; returns where its payload begins. */
export function writeFrameHead(
  into: Buffer,
  at: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  return writeUint32(into, at + 5, stream);
}

/** Writes 4 bytes; returns where they end. */
export function writeUint32(into: Buffer, at: number, value: number): number {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
  return at + 4;
}

export function readUint24(bytes: Buffer, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

/** 4 bytes without their highest bit, which is reserved where it stands before a number of 31 bits. */
export function readUint31(bytes: Buffer, at: number): number {
  return (((bytes[at] as number) & 0x7f) << 24) | readUint24(bytes, at + 1);
}
