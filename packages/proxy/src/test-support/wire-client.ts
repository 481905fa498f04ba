import { connect, type Socket, type TcpNetConnectOpts } from "node:net";
import { expect, onTestFinished } from "vitest";

/** A client that writes bytes and keeps what comes. */
export interface WireClient {
  readonly socket: Socket;
  /** Everything that has come so far, as latin1. */
  readonly received: () => string;
  readonly write: (bytes: string | Buffer) => void;
  /** Resolves when what came matches. */
  readonly until: (pattern: RegExp) => Promise<void>;
  /** Resolves with everything that came when the other side has ended the connection. */
  readonly closed: () => Promise<string>;
}

/** Connects to a port of this machine, or to a Unix socket, until the test ends. */
export function wireClient(place: number | string | TcpNetConnectOpts, bytes = ""): WireClient {
  const socket = connect(
    typeof place === "number"
      ? { port: place, host: "127.0.0.1" }
      : typeof place === "string"
        ? { path: place }
        : place,
  );
  let text = "";
  const end = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  onTestFinished(() => void socket.destroy());
  if (bytes !== "") socket.write(bytes, "latin1");
  return {
    socket,
    received: () => text,
    write: (more) => void (typeof more === "string" ? socket.write(more, "latin1") : socket.write(more)),
    until: async (pattern) => {
      await expect.poll(() => text, { timeout: 20_000, interval: 5 }).toMatch(pattern);
    },
    closed: async () => {
      await end;
      return text;
    },
  };
}

/** The statuses of the final answers in what a client received. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 ([2-5]\d\d) /g)].map(([, status]) => Number(status));
}
