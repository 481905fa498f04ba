import { STATUS_CODES } from "node:http";
import type { ClientAnswer } from "./client-answer.js";

/** How long the rest of a request that was refused is read, so that its client gets to read the answer. */
const LINGER_MS = 1000;

/** Answers with a plain text of the balancer's own. `lines`: headers to add, each with its line end. */
export function sendOwnAnswer(
  answer: ClientAnswer,
  status: number,
  text: string,
  lines: string,
  closes: boolean,
): void {
  const body = Buffer.from(`${text}\n`);
  const head =
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines}` +
    `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\n`;
  const isHead = answer.req.method === "HEAD";
  answer.open(status, head, isHead ? "none" : "length", closes);
  if (closes && status === 413) linger(answer);
  answer.endWhole(isHead ? undefined : body, "");
}

/**
 * Lets a connection end when the client has sent what it is sending. Closed at once, with bytes in it that nobody has
 * read, it would be reset, and the client might never see why.
 */
function linger(answer: ClientAnswer): void {
  const { req: request } = answer;
  const { socket } = request;
  answer.staysOpen();
  const timer = setTimeout(() => socket.destroySoon(), LINGER_MS);
  request.once("end", () => socket.destroySoon());
  socket.once("close", () => clearTimeout(timer));
}
