import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { defined } from "../../stats/defined.js";

/** What a page is told: one message of the stream. */
interface Heard {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/** Asks a server of the loopback, over a connection of its own; resolves with the head of the answer. */
export async function open(port: number, path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  const request = httpRequest({ host: "127.0.0.1", port, path, agent: false, ...options });
  // A server that goes away in the middle is what some tests are about.
  request.on("error", () => {});
  request.end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return response;
}

/** Listens as a page does, and tells what it heard so far. */
export async function listen(port: number, path: string, headers: Record<string, string> = {}) {
  const response = await open(port, path, { headers });
  let heard = "";
  response.setEncoding("utf8").on("data", (chunk: string) => (heard += chunk));
  const closed = once(response, "close");
  return { events: () => eventsIn(heard), closed, leave: () => response.destroy() };
}

function eventsIn(stream: string): readonly Heard[] {
  // What comes after the last empty line is not all there yet.
  const messages = stream.split("\n\n").slice(0, -1);
  return messages.flatMap((message): readonly Heard[] => {
    const [, id, event, data] = /^(?:id: (\d+)\n)?event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
    return event === undefined ? [] : [{ event, ...defined({ id }), data: JSON.parse(data ?? "") }];
  });
}
