import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import {
  CLIENT_BEGIN,
  type Frame,
  FRAME,
  headers,
  onFrames,
  settings,
  frame,
  FLAG,
} from "@lbbench/test-support/http2-frames.js";
import { startRawBackend } from "./servers.js";

/** A request's HEADERS: those of a usual one, with others behind them; a pseudo-header among them takes the place of the usual one. */
export function requestFrame(stream: number, fields: readonly string[] = [], ends = true): Buffer {
  const usual = new Map([
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/first"],
    [":authority", "a"],
  ]);
  const others: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [name = "", value = ""] = fields.slice(at, at + 2);
    if (usual.has(name)) usual.set(name, value);
    else others.push(name, value);
  }
  return headers(stream, [...[...usual].flat(), ...others], ends);
}

/** A client that writes frames, right or wrong, and keeps those that come. */
export function frameClient(port: number, ...first: readonly Buffer[]) {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const came: Frame[] = [];
  onFrames(socket, "server", (one) => came.push(one));
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  const write = (...more: readonly Buffer[]): void => void socket.write(Buffer.concat(more));
  write(CLIENT_BEGIN, ...first);
  return {
    socket,
    write,
    /** Frames of one kind, on one stream if it is told. */
    of: (type: number, stream?: number): readonly Frame[] =>
      came.filter((one) => one.type === type && (stream === undefined || one.stream === stream)),
    /** Code of the RST_STREAM that came on a stream. */
    resetOf: (stream: number): number | undefined =>
      came.find((one) => one.type === FRAME.RST_STREAM && one.stream === stream)?.payload.readUInt32BE(0),
    /** Code of the GOAWAY that came last. */
    goaway: (): number | undefined => came.findLast(({ type }) => type === FRAME.GOAWAY)?.payload.readUInt32BE(4),
    /** Resolves when the connection has closed. */
    closed,
  };
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

/** Starts a backend that speaks HTTP/2 frame by frame: it says SETTINGS and ACK by itself, and `onFrame` all else, also an answer to PING. */
export async function startFrameBackend(onFrame: (came: Frame, connection: FrameConnection) => void) {
  const all: FrameConnection[] = [];
  const server = await startRawBackend((socket) => {
    const send = (...sent: Buffer[]): void => void socket.write(Buffer.concat(sent));
    const connection: FrameConnection = { socket, number: all.length, frames: [], send };
    all.push(connection);
    socket.on("end", () => socket.end());
    onFrames(socket, "client", (came) => {
      if (connection.frames.length === 0) send(settings(), frame(FRAME.SETTINGS, FLAG.ACK, 0));
      connection.frames.push(came);
      onFrame(came, connection);
    });
  });
  return { ...server, url: server.url.replace("http:", "h2c:"), all };
}

/** Whether a frame is the last one of a request. */
export function endsRequest({ type, flags }: Frame): boolean {
  return (type === FRAME.HEADERS || type === FRAME.DATA) && (flags & FLAG.END_STREAM) !== 0;
}
