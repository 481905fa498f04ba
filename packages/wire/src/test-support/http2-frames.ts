import type { Fields } from "../http2/fields.js";
import { FLAG, FRAME, FRAME_HEAD, PREFACE, readUint24, readUint31, writeFrameHead } from "../http2/frames.js";

/** A frame as it stands on the wire, with any content. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const NOTHING: Buffer = Buffer.alloc(0);

/** The bytes of a frame; nothing is checked. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = NOTHING): Buffer {
  const bytes = Buffer.alloc(FRAME_HEAD + payload.length);
  payload.copy(bytes, writeFrameHead(bytes, 0, payload.length, type, flags, stream));
  return bytes;
}

/** The bytes of a whole HEADERS frame. */
export function headers(stream: number, fields: Fields, ends: boolean): Buffer {
  return frame(FRAME.HEADERS, FLAG.END_HEADERS | (ends ? FLAG.END_STREAM : 0), stream, literals(fields));
}

/** The bytes of a DATA frame. */
export function data(stream: number, body: string | Buffer, ends = false): Buffer {
  return frame(FRAME.DATA, ends ? FLAG.END_STREAM : 0, stream, Buffer.from(body));
}

/** The bytes of a SETTINGS frame. */
export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [index, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  }
  return frame(FRAME.SETTINGS, 0, 0, payload);
}

/** The bytes of 32 bits, most significant first: a code, a window, or the number of a stream. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** What a client says first: the preface and empty SETTINGS. */
export const CLIENT_BEGIN: Buffer = Buffer.concat([Buffer.from(PREFACE, "latin1"), settings()]);

/** A block of header fields that uses no table and no Huffman code (RFC 7541, 6.2.2); texts of at most 16,000 bytes. */
export function literals(fields: Fields): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    pieces.push(Buffer.from([0]), literalText(fields[at] as string), literalText(fields[at + 1] as string));
  }
  return Buffer.concat(pieces);
}

/** RFC 7541, 5.2, without Huffman code. */
export function literalText(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const { length } = bytes;
  if (length < 127) return Buffer.concat([Buffer.from([length]), bytes]);
  const rest = length - 127;
  const prefix = rest < 128 ? [127, rest] : [127, 128 | (rest & 127), rest >> 7];
  return Buffer.concat([Buffer.from(prefix), bytes]);
}

/** The whole frames of what one end has said, without a preface. */
export function readFrames(bytes: Buffer): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + FRAME_HEAD <= bytes.length;) {
    const payloadAt = at + FRAME_HEAD;
    const end = payloadAt + readUint24(bytes, at);
    if (end > bytes.length) break;
    frames.push({
      type: bytes[at + 3] as number,
      flags: bytes[at + 4] as number,
      stream: readUint31(bytes, at + 5),
      payload: bytes.subarray(payloadAt, end),
    });
    at = end;
  }
  return frames;
}
