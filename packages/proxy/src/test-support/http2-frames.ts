import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { PREFACE } from "@lbbench/wire";

/** One frame that came. */
interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Kinds and flags of frames (RFC 9113, 6), as the tests need them. */
export const FRAME = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;

/** The bytes of a frame. */
export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Fields as they are (RFC 7541, 6.2.2: literals without indexing), also those that no encoder would write. Texts are latin1. */
export function literalFields(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value, "latin1");
    const prefix: number[] = [Math.min(bytes.length, 127)];
    if (bytes.length >= 127) {
      let rest = bytes.length - 127;
      for (; rest >= 128; rest >>= 7) prefix.push((rest & 127) | 128);
      prefix.push(rest);
    }
    return Buffer.concat([Buffer.from(prefix), bytes]);
  };
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** A request's HEADERS: those of a usual one, with others behind them; a pseudo-header among them takes the place of the usual one. */
export function requestFrame(
  stream: number,
  fields: readonly (readonly [name: string, value: string])[] = [],
  flags = END_HEADERS | END_STREAM,
): Buffer {
  const usual = [":method", "GET", ":scheme", "http", ":path", "/first", ":authority", "a"];
  const pseudo = new Map<string, string>();
  for (let at = 0; at < usual.length; at += 2) pseudo.set(usual[at] as string, usual[at + 1] as string);
  const others = fields.filter(([name, value]) => !pseudo.has(name) || (pseudo.set(name, value), false));
  return frame(FRAME.headers, flags, stream, literalFields([...pseudo, ...others]));
}

/** A client that writes frames, right or wrong, and reads those that come. */
export function frameClient(port: number, ...frames: readonly Buffer[]) {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  let bytes = Buffer.alloc(0);
  const came: Frame[] = [];
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  socket.on("data", (piece: Buffer) => {
    bytes = Buffer.concat([bytes, piece]);
    while (bytes.length >= 9 && bytes.length >= 9 + bytes.readUIntBE(0, 3)) {
      const end = 9 + bytes.readUIntBE(0, 3);
      const [type = 0, flags = 0] = bytes.subarray(3, 5);
      came.push({ type, flags, stream: bytes.readUInt32BE(5), payload: Buffer.from(bytes.subarray(9, end)) });
      bytes = bytes.subarray(end);
    }
  });
  const write = (...more: readonly Buffer[]): void => void socket.write(Buffer.concat(more));
  write(Buffer.from(PREFACE, "latin1"), frame(FRAME.settings, 0, 0), ...frames);
  return {
    socket,
    write,
    /** Frames that have come, in order. */
    frames: (): readonly Frame[] => came,
    /** Frames of one kind, on one stream if it is told. */
    of: (type: number, stream?: number): readonly Frame[] =>
      came.filter((one) => one.type === type && (stream === undefined || one.stream === stream)),
    /** Code of the RST_STREAM that came on a stream. */
    resetOf: (stream: number): number | undefined =>
      came.find((one) => one.type === FRAME.reset && one.stream === stream)?.payload.readUInt32BE(0),
    /** Code of the GOAWAY that came last. */
    goaway: (): number | undefined => came.findLast((one) => one.type === FRAME.goaway)?.payload.readUInt32BE(4),
    /** Resolves when the connection has closed. */
    closed,
  };
}
