import net, { type Socket } from "node:net";
import { FLAG, frame, FRAME, onFrames, settings } from "@lbbench/test-support/http2-frames.js";
import { standUp } from "../../src/testing/ground-truth/truth-server.js";

/** A request as a frame tells of it. */
export interface FramedRequest {
  readonly streamId: number;
  readonly socket: Socket;
  /** Counts from 1 over the whole server. */
  readonly number: number;
  /** Counts from 1 over its connection. */
  readonly onConnection: number;
}

/** What it does. */
export interface FrameBehaviour {
  readonly onRequest: (request: FramedRequest) => void;
  /** When a connection is there; without this it says its settings. What it sends has to begin with settings. */
  readonly onConnection?: (socket: Socket) => void;
  /** Whether it says that it got what it was told, and gives the signs of life that it is asked for; it does without this. */
  readonly isAlive?: (socket: Socket) => boolean;
}

/** Starts a server that speaks HTTP/2 frame by frame, and can do with it what no decent server does; requests have no bodies. */
export async function startFrameServer({ onRequest, onConnection, isAlive = () => true }: FrameBehaviour) {
  /** Codes of the streams that clients have ended themselves. */
  const cancelled: number[] = [];
  let requests = 0;
  let connections = 0;
  const server = net.createServer({ noDelay: true }, (socket) => {
    connections += 1;
    socket.on("error", () => {});
    if (onConnection === undefined) socket.write(settings());
    else onConnection(socket);
    let seen = 0;
    onFrames(socket, "client", ({ type, flags, stream, payload }) => {
      // Settings of its own come first.
      if (type === FRAME.SETTINGS && flags !== FLAG.ACK && socket.bytesWritten > 0 && isAlive(socket)) {
        socket.write(frame(FRAME.SETTINGS, FLAG.ACK, 0));
      }
      if (type === FRAME.PING && isAlive(socket)) socket.write(frame(FRAME.PING, FLAG.ACK, 0, payload));
      if (type === FRAME.RST_STREAM) cancelled.push(payload.readUInt32BE(0));
      if (type !== FRAME.HEADERS) return;
      requests += 1;
      seen += 1;
      onRequest({ streamId: stream, socket, number: requests, onConnection: seen });
    });
  });
  const counts = { requests: () => requests, connections: () => connections, cancelled };
  return { ...(await standUp(server, "http")), ...counts };
}
