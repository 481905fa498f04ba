import type { Socket } from "node:net";

/** Frames of HTTP/2 as they stand on the wire, right or wrong: nothing is checked. By RFC 9113, 6, and by no code that is tested. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

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

export const SETTING = { MAX_CONCURRENT_STREAMS: 3, INITIAL_WINDOW_SIZE: 4 } as const;

const FRAME_HEAD = 9;

/** What a client says first. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Names and values in turn, as latin1. */
type Fields = readonly string[];

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A whole HEADERS frame. */
export function headers(stream: number, fields: Fields, ends = false): Buffer {
  return frame(FRAME.HEADERS, FLAG.END_HEADERS | (ends ? FLAG.END_STREAM : 0), stream, literals(fields));
}

export function data(stream: number, body: string | Buffer, ends = false): Buffer {
  return frame(FRAME.DATA, ends ? FLAG.END_STREAM : 0, stream, Buffer.from(body));
}

/** A whole answer of 200, with further fields. */
export function answer(stream: number, body: string, ...fields: Fields): Buffer {
  return Buffer.concat([headers(stream, [":status", "200", ...fields]), data(stream, body, true)]);
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame(FRAME.SETTINGS, 0, 0, payload);
}

/** Ends a stream with an error code: CANCEL unless there is another one. */
export const resetStream = (stream: number, code = 8): Buffer => frame(FRAME.RST_STREAM, 0, stream, uint32(code));

export const windowUpdate = (stream: number, bytes: number): Buffer =>
  frame(FRAME.WINDOW_UPDATE, 0, stream, uint32(bytes));

/** Says which stream is the last that was begun with. */
export const goaway = (lastStream: number, code = 0): Buffer => frame(FRAME.GOAWAY, 0, 0, uint32(lastStream, code));

/** 32 bits each, most significant first: codes, windows, or numbers of streams. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** What a client says first: the preface and empty SETTINGS. */
export const CLIENT_BEGIN: Buffer = Buffer.concat([PREFACE, settings()]);

/** A block of header fields that uses no table and no Huffman code (RFC 7541, 6.2.2); texts of at most 16,000 bytes. */
export function literals(fields: Fields): Buffer {
  return Buffer.concat(fields.map((text, at) => Buffer.concat([Buffer.alloc(1 - (at % 2)), literalText(text)])));
}

/** RFC 7541, 5.2, without Huffman code. */
export function literalText(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const rest = bytes.length - 127;
  const length = rest < 0 ? [bytes.length] : rest < 128 ? [127, rest] : [127, 128 | (rest & 127), rest >> 7];
  return Buffer.concat([Buffer.from(length), bytes]);
}

/** The end of a stream: trailers of so many bytes, in two frames. */
export function longTrailers(stream: number, bytes: number): Buffer {
  const [first, second] = ["x-a", "x-b"].map((name) => literals([name, "a".repeat(bytes / 2)]));
  return Buffer.concat([
    frame(FRAME.HEADERS, FLAG.END_STREAM, stream, first),
    frame(FRAME.CONTINUATION, FLAG.END_HEADERS, stream, second),
  ]);
}

/** The payloads of frames, one behind the other, as latin1. */
export function textOf(frames: readonly Frame[]): string {
  return Buffer.concat(frames.map(({ payload }) => payload)).toString("latin1");
}

/** The whole frames of what one end has said, without a preface. */
export function readFrames(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + FRAME_HEAD <= bytes.length;) {
    const end = at + FRAME_HEAD + bytes.readUIntBE(at, 3);
    if (end > bytes.length) break;
    const [type = 0, flags = 0] = bytes.subarray(at + 3, at + 5);
    const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    frames.push({ type, flags, stream, payload: bytes.subarray(at + FRAME_HEAD, end) });
    at = end;
  }
  return frames;
}

/** Tells of each frame that comes, behind the preface where the other side is a client. */
export function onFrames(socket: Socket, from: "client" | "server", onFrame: (frame: Frame) => void): void {
  let skipped = from === "client" ? PREFACE.length : 0;
  let kept: Buffer = Buffer.alloc(0);
  socket.on("data", (piece: Buffer) => {
    kept = Buffer.concat([kept, piece]);
    if (kept.length < skipped) return;
    const frames = readFrames(kept.subarray(skipped));
    kept = kept.subarray(frames.reduce((bytes, { payload }) => bytes + FRAME_HEAD + payload.length, skipped));
    skipped = 0;
    for (const one of frames) onFrame(one);
  });
}
