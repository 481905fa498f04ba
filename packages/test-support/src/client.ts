import { once } from "node:events";
import { connect } from "node:net";
import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from "node:http";
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

/** Sends as many requests, one after the other, and returns the bodies of the answers. */
export async function sendTimes(url: string, times: number, options: RequestOptions = {}): Promise<string[]> {
  const bodies: string[] = [];
  for (let sent = 0; sent < times; sent++) bodies.push((await send(url, options)).body);
  return bodies;
}

/** Reads the whole answer to a request that has been sent. */
export async function readAnswer(sent: ClientRequest): Promise<Answer> {
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

/** Whether anything accepts connections at a port of this machine. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
