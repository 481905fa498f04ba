import net, { type Socket } from "node:net";
import { closeAll, listen, trackSockets } from "../../src/testing/ground-truth/truth-server.js";

const PREFACE_BYTES = 24;
const HEAD_BYTES = 9;

const TYPE = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goaway: 7 } as const;

/** Ends a stream, in the flags of a frame. */
export const END_STREAM = 1;
const END_HEADERS = 4;
const ACK = 1;

/** A frame as it goes over the wire. */
function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
}

/** `:status: 200`, and a `content-length` where one is given, in the encoding of HPACK. */
export function head(streamId: number, flags = 0, contentLength?: string): Buffer {
  const length =
    contentLength === undefined ? [] : [0x0f, 0x0d, contentLength.length, ...Buffer.from(contentLength, "latin1")];
  return frame(TYPE.headers, END_HEADERS | flags, streamId, Buffer.from([0x88, ...length]));
}

/** A piece of a body. */
export function data(streamId: number, text: string, flags = 0): Buffer {
  return frame(TYPE.data, flags, streamId, Buffer.from(text));
}

/** Ends a stream at once. */
export function rstStream(streamId: number, code: number): Buffer {
  return frame(TYPE.rstStream, 0, streamId, words(code));
}

/** Says that the connection is to end, and which stream is the last that is dealt with. */
export function goaway(lastStreamId: number, code: number): Buffer {
  return frame(TYPE.goaway, 0, 0, words(lastStreamId, code));
}

/** Says how many streams may be open at a time. */
export function settings(maxConcurrentStreams?: number): Buffer {
  if (maxConcurrentStreams === undefined) return frame(TYPE.settings, 0, 0);
  return frame(TYPE.settings, 0, 0, Buffer.concat([Buffer.from([0, 3]), words(maxConcurrentStreams)]));
}

/** A whole answer of five bytes. */
export function wholeAnswer(streamId: number): Buffer {
  return Buffer.concat([head(streamId), data(streamId, "hello", END_STREAM)]);
}

/** A request as a frame tells of it. */
export interface FramedRequest {
  readonly streamId: number;
  readonly socket: Socket;
  /** Counts from 1 over the whole server. */
  readonly number: number;
  /** Counts from 1 over its connection. */
  readonly onConnection: number;
}

/** A server that speaks HTTP/2 frame by frame, and can do with it what no decent server does. */
export interface FrameServer {
  readonly url: string;
  /** Requests and connections so far. */
  readonly requests: () => number;
  readonly connections: () => number;
  /** Codes of the streams that clients have ended themselves. */
  readonly cancelled: readonly number[];
  readonly close: () => Promise<void>;
}

/** What it does. */
export interface FrameBehaviour {
  readonly onRequest: (request: FramedRequest) => void;
  /** When a connection is there; without this it says its settings. What it sends has to begin with settings. */
  readonly onConnection?: (socket: Socket) => void;
  /** Whether it says that it got what it was told, and gives the signs of life that it is asked for; it does without this. */
  readonly isAlive?: (socket: Socket) => boolean;
}

/** Starts such a server; requests have no bodies. */
export async function startFrameServer({
  onRequest,
  onConnection,
  isAlive = () => true,
}: FrameBehaviour): Promise<FrameServer> {
  const sockets = trackSockets();
  const cancelled: number[] = [];
  let requests = 0;
  let connections = 0;
  const server = net.createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    if (onConnection === undefined) socket.write(settings());
    else onConnection(socket);
    let rest = Buffer.alloc(0);
    let prefaceRead = false;
    let seen = 0;
    socket.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      if (!prefaceRead && rest.length >= PREFACE_BYTES) {
        prefaceRead = true;
        rest = rest.subarray(PREFACE_BYTES);
      }
      while (prefaceRead && rest.length >= HEAD_BYTES) {
        const length = rest.readUIntBE(0, 3);
        if (rest.length < HEAD_BYTES + length) return;
        const [type, flags, streamId] = [rest[3], rest[4] ?? 0, rest.readUInt32BE(5)];
        const payload = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
        rest = rest.subarray(HEAD_BYTES + length);
        // Settings of its own come first.
        if (type === TYPE.settings && (flags & ACK) === 0 && socket.bytesWritten > 0 && isAlive(socket)) {
          socket.write(frame(TYPE.settings, ACK, 0));
        }
        if (type === TYPE.ping && isAlive(socket)) socket.write(frame(TYPE.ping, ACK, 0, payload));
        if (type === TYPE.rstStream) cancelled.push(payload.readUInt32BE(0));
        if (type !== TYPE.headers) continue;
        requests += 1;
        seen += 1;
        onRequest({ streamId, socket, number: requests, onConnection: seen });
      }
    });
  });
  return {
    url: `http://${await listen(server)}/`,
    requests: () => requests,
    connections: () => connections,
    cancelled,
    close: () => closeAll(server, sockets),
  };
}
