import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from "node:http2";
import type { Socket } from "node:net";
import { serve } from "@lbbench/test-support/servers.js";
import { startRawBackend } from "./servers.js";

/** What a server does with a request. */
export type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, server: Http2Server) => void;

/** Starts a server of HTTP/2 on Node's own; the heads of its requests are kept. */
export async function startHttp2Backend(onStream: OnStream, options: ServerOptions = {}, place = 0) {
  const server = createServer(options);
  const sessions = new Set<ServerHttp2Session>();
  const asked: IncomingHttpHeaders[] = [];
  server.on("session", (session) => {
    sessions.add(session.on("error", () => undefined));
    session.once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    asked.push(headers);
    onStream(
      stream.on("error", () => undefined),
      headers,
      server,
    );
  });
  const served = await serve(server, place);
  return { ...served, url: served.url.replace("http:", "h2c:"), sessions, asked };
}

/** Answers with its method and path, and what it was sent. */
export const echo: OnStream = (stream, headers) => {
  stream.respond({ ":status": 200, "content-type": "text/plain" });
  stream.write(`${headers[":method"]} ${headers[":path"]} `);
  stream.pipe(stream);
};

/** Kinds of frames (RFC 9113, 6). */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
} as const;

/** Flags of HEADERS and DATA; END_STREAM is ACK in SETTINGS and PING. */
export const END_STREAM = 1;
const END_HEADERS = 4;

const PREFACE_BYTES = 24;

/** A frame that came. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly id: number;
  readonly payload: Buffer;
}

/** The bytes of a frame. */
export function frame(type: number, flags: number, id: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

/** HEADERS of a stream, each field as a literal (RFC 7541, 6.2.2); names and values in turn. */
export function headers(id: number, fields: readonly string[], ends = false): Buffer {
  const texts = fields.flatMap((text, index) => {
    const bytes = Buffer.from(text, "latin1");
    if (bytes.length > 126) throw new RangeError("A text is too long for this.");
    return [...(index % 2 === 0 ? [0] : []), bytes.length, ...bytes];
  });
  return frame(FRAME.HEADERS, END_HEADERS | (ends ? END_STREAM : 0), id, Buffer.from(texts));
}

/** An answer with a body, whole. */
export function answer(id: number, body: string, ...fields: readonly string[]): Buffer {
  return Buffer.concat([
    headers(id, [":status", "200", ...fields]),
    frame(FRAME.DATA, END_STREAM, id, Buffer.from(body)),
  ]);
}

/** RST_STREAM with an error code. */
export function resetStream(id: number, code: number): Buffer {
  return frame(FRAME.RST_STREAM, 0, id, uint32(code));
}

/** GOAWAY with the last stream that was begun with. */
export function goaway(lastId: number, code = 0): Buffer {
  return frame(FRAME.GOAWAY, 0, 0, Buffer.concat([uint32(lastId), uint32(code)]));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A connection to a backend of frames. */
export interface FrameConnection {
  readonly socket: Socket;
  /** Counted from 0. */
  readonly number: number;
  /** Frames that came. */
  readonly frames: Frame[];
  readonly send: (...frames: Buffer[]) => void;
}

/**
 * Starts a backend that speaks HTTP/2 frame by frame: it says SETTINGS and ACK by itself, and `onFrame` all else, also
 * an answer to PING.
 */
export async function startFrameBackend(onFrame: (came: Frame, connection: FrameConnection) => void) {
  const connections: FrameConnection[] = [];
  const server = await startRawBackend((socket) => {
    const frames: Frame[] = [];
    const send = (...sent: Buffer[]): void => void socket.write(Buffer.concat(sent));
    const connection: FrameConnection = { socket, number: connections.length, frames, send };
    connections.push(connection);
    let kept = Buffer.alloc(0);
    let left = PREFACE_BYTES;
    socket.on("end", () => socket.end());
    socket.on("data", (piece: Buffer) => {
      kept = Buffer.concat([kept, piece]);
      if (kept.length < left) return;
      if (left > 0) send(frame(FRAME.SETTINGS, 0, 0), frame(FRAME.SETTINGS, 1, 0));
      kept = kept.subarray(left);
      left = 0;
      while (kept.length >= 9 && kept.length >= 9 + kept.readUIntBE(0, 3)) {
        const end = 9 + kept.readUIntBE(0, 3);
        const [type = 0, flags = 0] = kept.subarray(3, 5);
        const came = { type, flags, id: kept.readUInt32BE(5), payload: kept.subarray(9, end) };
        kept = kept.subarray(end);
        frames.push(came);
        onFrame(came, connection);
      }
    });
  });
  return { ...server, url: server.url.replace("http:", "h2c:"), all: connections };
}

/** Whether a frame is the last one of a request. */
export function endsRequest({ type, flags }: Frame): boolean {
  return (type === FRAME.HEADERS || type === FRAME.DATA) && (flags & END_STREAM) !== 0;
}
