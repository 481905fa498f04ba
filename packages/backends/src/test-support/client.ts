import { once } from "node:events";
import { Agent, request, type IncomingMessage, type RequestOptions } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";

/** An answer that came whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** An agent that keeps its connections until the test ends. */
export function keepAliveAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Sends a request and reads the whole answer; rejects when there is none, or only a part of it. */
export async function send(url: string, options: RequestOptions = {}, body?: string | Buffer): Promise<Answer> {
  const sent = request(url, options);
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

/** Whether anything accepts connections at a port of this machine. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
