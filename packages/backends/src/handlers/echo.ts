import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import type { EchoSpec } from "../handler-spec.js";
import type { HandlerKind } from "./handler-kind.js";
import { drawNothing } from "./work.js";

const ANY_BYTES = "application/octet-stream";

/** Answers with the body of the request: while it comes, or, as work for a thread, when it has come whole. */
export const echoHandler: HandlerKind<EchoSpec> = {
  name: "echo",
  usage: "echo",
  summary: "the body and content type of the request",
  takesArgument: false,
  options: [],
  parse: () => ({ name: "echo" }),
  format: () => ({ name: "echo", options: new Map() }),
  create: () => (request, response) => {
    response.writeHead(200, echoHeaders(request));
    // A client that goes away ends both sides; there is nobody left to tell.
    pipeline(request, response, () => undefined);
  },
  work: () => ({
    usesBody: true,
    draw: drawNothing,
    perform({ contentType = ANY_BYTES, body = "" }, done) {
      done({ status: 200, headers: ["Content-Type", contentType, "Content-Length", String(body.length)], body });
    },
  }),
};

function echoHeaders({ headers }: IncomingMessage): string[] {
  const contentType = ["Content-Type", headers["content-type"] ?? ANY_BYTES];
  // Without a length Node sends chunks, as the client did.
  if (headers["transfer-encoding"] !== undefined) return contentType;
  return [...contentType, "Content-Length", headers["content-length"] ?? "0"];
}
