import type { ServerResponse } from "node:http";
import type { Answer } from "./work.js";

/** Sends a whole answer. */
export function sendAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers as string[]);
  response.end(body);
}
