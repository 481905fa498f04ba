import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";

/** What a connection brought, and how it ended. */
export interface Conversation {
  readonly text: string;
  /** Code of the error it ended with; absent when it ended in order. */
  readonly error?: string;
}

/** Opens a connection that ends with the test, and may be half-closed. */
export async function openClient(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Reads a connection until it is ended or breaks. */
export async function readToEnd(socket: Duplex): Promise<Conversation> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    const settle = (error?: NodeJS.ErrnoException): void => {
      const text = Buffer.concat(chunks).toString();
      resolve(error === undefined ? { text } : { text, error: error.code ?? error.message });
    };
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.once("end", () => settle());
    socket.once("error", settle);
  });
}

/** Reads until as many bytes have come as the text has, and returns them. */
export async function readLike(socket: Duplex, expected: string): Promise<string> {
  let text = "";
  return new Promise((resolve) => {
    const onData = (chunk: Buffer): void => {
      text += chunk.toString();
      if (text.length < expected.length) return;
      socket.off("data", onData);
      resolve(text);
    };
    socket.on("data", onData);
  });
}

/** Connects, sends a text, ends, and reads the answer to its end. */
export async function talk(port: number, text = ""): Promise<Conversation> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const answer = readToEnd(socket);
  socket.end(text);
  const conversation = await answer;
  socket.destroy();
  return conversation;
}
