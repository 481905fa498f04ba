import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

/** Sends one GET over a connection of its own; returns the answer, read to its end. */
export async function requestOnce(url: string | URL, headers: Readonly<Record<string, string>> = {}) {
  const [answer] = (await once(request(url, { agent: false, headers }).end(), "response")) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, body: await text(answer), headers: answer.headers };
}
