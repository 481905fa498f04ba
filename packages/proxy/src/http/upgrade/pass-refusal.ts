import type { IncomingMessage } from "node:http";
import type { AnswerHeaders } from "../answer-head.js";
import type { ClientAnswer, Framing } from "../client-answer.js";
import { trailerLines } from "../trailers.js";

/** What is told of an answer that is passed on. */
interface PassEvents {
  readonly onBytes: (count: number) => void;
  /** All of it has come. */
  readonly onWhole: () => void;
  readonly onBroken: (reason: string) => void;
}

/** How the answer of a backend that refuses an upgrade is framed for the client. */
export function framingOfRefusal(method: string, status: number, { length }: AnswerHeaders): Framing {
  if (method === "HEAD" || status === 204 || status === 304) return "none";
  return length === undefined ? "chunked" : "length";
}

/** Passes the body of a backend's answer on, as fast as the client takes it. */
export function passRefusal(from: IncomingMessage, to: ClientAnswer, events: PassEvents): void {
  let over = false;
  const onBroken = (): void => {
    if (over) return;
    over = true;
    events.onBroken("closed the connection before its answer was complete.");
  };
  from.on("data", (chunk: Buffer) => events.onBytes(chunk.length));
  from.once("end", () => {
    if (!from.complete) return onBroken();
    over = true;
    events.onWhole();
    to.endStreamed(trailerLines(from.rawTrailers));
  });
  from.on("error", onBroken);
  from.once("close", onBroken);
  to.sendHead();
  from.pipe(to, { end: false });
}
