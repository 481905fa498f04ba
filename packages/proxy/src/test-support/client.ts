import { once } from "node:events";
import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** An answer that came whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An agent that keeps its connections until the test ends. */
export function keepAliveAgent(options: { maxSockets?: number } = {}): Agent {
  const agent = new Agent({ keepAlive: true, ...options });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Sends a request and reads the whole answer; rejects when there is none, or only a part of it. */
export async function send(url: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
  const sent = request(url, options);
  sent.end(body);
  return readAnswer(sent);
}

/** Reads the whole answer to a request that has been sent. */
export async function readAnswer(sent: ClientRequest): Promise<Answer> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

/**
 * Opens a connection, writes the text and returns what comes until the other side ends it; `reset` says how it ended.
 */
export async function exchange(
  port: number,
  text: string,
): Promise<{ readonly text: string; readonly reset: boolean }> {
  const socket: Socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let received = "";
  let reset = false;
  socket.setEncoding("latin1").on("data", (chunk: string) => (received += chunk));
  socket.on("error", (error: NodeJS.ErrnoException) => (reset = error.code === "ECONNRESET"));
  socket.write(text);
  await new Promise((resolve) => socket.once("close", resolve));
  return { text: received, reset };
}
