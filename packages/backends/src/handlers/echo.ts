import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import type { EchoSpec } from "../handler-spec.js";
import type { HandlerKind } from "./handler-kind.js";

/** Answers with the body of the request while it comes. */
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
};

function echoHeaders({ headers }: IncomingMessage): string[] {
  const contentType = ["Content-Type", headers["content-type"] ?? "application/octet-stream"];
  // Without a length Node sends chunks, as the client did.
  if (headers["transfer-encoding"] !== undefined) return contentType;
  return [...contentType, "Content-Length", headers["content-length"] ?? "0"];
}
