import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Draws } from "@lbbench/test-support/draws.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { startRawBackend } from "./servers.js";

/** A body that says of every byte whose it is. */
export const bodyOf = (id: string, bytes: number): string =>
  `${id};`.repeat(Math.ceil(bytes / (id.length + 1))).slice(0, bytes);

const MANY_BYTES = 8_000_000;

/** What an Apache says on a connection on which it has waited for long enough. */
const UNASKED = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

interface Message {
  readonly line: string;
  readonly head: string;
  readonly body: string;
  readonly end: number;
}

/** The message that begins a text; `undefined` as long as a part of it is missing. */
function readMessage(text: string): Message | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const head = text.slice(0, headEnd);
  const line = head.slice(0, head.indexOf("\r\n"));
  let at = headEnd + 4;
  if (!/\r\ntransfer-encoding: chunked/i.test(head)) {
    const end = at + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    return end > text.length ? undefined : { line, head, body: text.slice(at, end), end };
  }
  for (let body = ""; ;) {
    const sizeEnd = text.indexOf("\r\n", at);
    if (sizeEnd < 0) return undefined;
    const start = sizeEnd + 2;
    const size = Number.parseInt(text.slice(at, sizeEnd), 16);
    at = start + size + 2;
    if (Number.isNaN(size) || at > text.length) return undefined;
    if (size === 0) return { line, head, body, end: at };
    body += text.slice(start, start + size);
  }
}

/** Tells of each whole message that comes. */
function onMessages(socket: Socket, onMessage: (message: Message) => void): void {
  let text = "";
  let wanted = 0;
  socket.on("data", (piece: Buffer) => {
    text += piece.toString("latin1");
    // A long body is not looked at again for each of its pieces.
    if (text.length < wanted) return;
    const [head = "", length = "0"] = /^[^]{0,300}?\r\ncontent-length: (\d{5,})\r\n/i.exec(text) ?? [];
    wanted = head.length + Number(length);
    for (let message; (message = readMessage(text)) !== undefined && !socket.destroyed;) {
      text = text.slice(message.end);
      wanted = 0;
      onMessage(message);
    }
  });
}

function chunked(body: string, draws: Draws): string {
  let text = "";
  for (let at = 0; at < body.length;) {
    const piece = body.slice(at, (at += 1 + draws.below(body.length)));
    text += `${piece.length.toString(16)}\r\n${piece}\r\n`;
  }
  return `${text}0\r\n\r\n`;
}

/** What a path asks for: whose answer of how many bytes, to how many that were sent, and how it is to be given. */
export function asked(path: string) {
  const [, id = "", bytes = "", sent = "", how = ""] = path.split("/");
  return { id, bytes: Number(bytes), sent: Number(sent), how };
}

/** What of bodies was not of whom it should have been. */
export type Mistakes = string[];

/** A backend that looks whether bodies are of the request that they come with, and answers with bodies of that request. */
export async function startIdentityBackend(mistakes: Mistakes, seed: number) {
  const draws = new Draws(seed);
  return startRawBackend((socket) => {
    socket.on("end", () => socket.end());
    onMessages(socket, ({ line, body }) => {
      const { id, bytes, sent, how } = asked(line.split(" ")[1] ?? "");
      if (body !== bodyOf(id, sent)) mistakes.push(`The backend got ${body.slice(0, 80)} for ${line}`);
      const answer = bodyOf(id, bytes);
      const head = `HTTP/1.1 200 OK\r\nDate: now\r\nX-Id: ${id}\r\n`;
      const say = (): void => {
        if (how === "chunked") socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunked(answer, draws)}`);
        else if (how === "close") socket.end(`${head}Connection: close\r\n\r\n${answer}`);
        else if (how === "break")
          socket.write(`${head}Content-Length: ${answer.length + 9}\r\n\r\n${answer}`, () => socket.destroy());
        else socket.write(`${head}Content-Length: ${answer.length}\r\n\r\n${answer}`);
        if (how === "unasked") setImmediate(() => socket.end(UNASKED));
      };
      if (how === "late") setImmediate(say);
      else say();
    });
  });
}

/**
 * Clients that pipeline, read slowly, go away in the middle of anything and come back, until so many answers have come
 * that were looked at from the first byte to the last.
 */
export async function exchangeIdentities(
  url: string,
  count: number,
  mistakes: Mistakes,
  { seed, slow }: { readonly seed: number; readonly slow: number },
) {
  const draws = new Draws(seed);
  const { protocol, port } = new URL(url);
  const seen = { answers: 0, errors: 0 };
  let ids = 0;
  const one = (client: number): Promise<void> =>
    new Promise((resolve) => {
      const expected: { readonly id: string; readonly bytes: number }[] = [];
      const plain = connect(Number(port), "127.0.0.1").on("error", () => undefined);
      const isSecure = protocol === "https:";
      const socket = isSecure ? connectTls({ socket: plain, host: "localhost", ca: LOCALHOST.cert }) : plain;
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
      const leave = (): void => void (draws.chance(0.5) ? plain.resetAndDestroy() : socket.destroy());
      const sizeOf = (): number => (draws.chance(0.003) ? draws.below(400_000) : draws.below(200));
      const ask = (): void => {
        let text = "";
        if (draws.below(slow) === 0) {
          // More than the system holds.
          const id = `${client}.${ids++}`;
          expected.push({ id, bytes: MANY_BYTES });
          socket.write(`GET /${id}/${MANY_BYTES}/0/${draws.of(["length", "unasked"])} HTTP/1.1\r\nHost: a\r\n\r\n`);
          socket.pause();
          setTimeout(() => socket.resume(), 50);
          return;
        }
        for (let left = 1 + draws.below(12); left > 0; left--) {
          const id = `${client}.${ids++}`;
          const bytes = sizeOf();
          const isPost = draws.chance(0.3);
          const sent = isPost ? 1 + sizeOf() : 0;
          const how = draws.chance(0.9)
            ? "length"
            : draws.chance(0.99)
              ? draws.of(["chunked", "late"])
              : draws.of(["close", "break", "unasked"]);
          expected.push({ id, bytes });
          const head = `${isPost ? "POST" : "GET"} /${id}/${bytes}/${sent}/${how} HTTP/1.1\r\nHost: a\r\n`;
          if (!isPost) text += `${head}\r\n`;
          else if (draws.chance(0.5)) text += `${head}Content-Length: ${sent}\r\n\r\n${bodyOf(id, sent)}`;
          else text += `${head}Transfer-Encoding: chunked\r\n\r\n${chunked(bodyOf(id, sent), draws)}`;
        }
        if (draws.chance(0.01)) socket.write(text.slice(0, draws.below(text.length)), "latin1", leave);
        else socket.write(text, "latin1");
        if (draws.chance(0.01)) setTimeout(leave, draws.below(3));
        if (draws.chance(0.02)) {
          socket.pause();
          setTimeout(() => socket.resume(), draws.below(20));
        }
      };
      onMessages(socket, ({ line, head, body }) => {
        const { id = "", bytes = 0 } = expected.shift() ?? {};
        if (!line.includes(" 200 ")) seen.errors += 1;
        else if (!head.includes(`\r\nX-Id: ${id}\r\n`) && !head.endsWith(`\r\nX-Id: ${id}`))
          mistakes.push(`Client ${client} got ${head} for ${id}`);
        else if (body !== bodyOf(id, bytes)) mistakes.push(`Client ${client} got ${body.slice(0, 80)} for ${id}`);
        else seen.answers += 1;
        if (seen.answers >= count || mistakes.length > 0) socket.destroy();
        else if (expected.length === 0) ask();
      });
      ask();
    });
  await Promise.all(
    Array.from({ length: 50 }, async (_, client) => {
      while (seen.answers < count && mistakes.length === 0) await one(client);
    }),
  );
  return seen;
}
