import type { HandlerSpec } from "../handler-spec.js";
import { kindOf } from "../handlers/handler-kinds.js";
import type { WorkReply, WorkRequest } from "./work-method.js";

/** Does the work for one call, and then hands over the reply, maybe before it returns. */
export type DoWork = (request: WorkRequest, done: (reply: WorkReply) => void) => void;

/** What a handler does, for calls instead of HTTP requests, with a state of its own. */
export function createWork(spec: HandlerSpec): DoWork {
  const { usesBody, draw, perform } = kindOf(spec).work(spec, 0);
  return ({ body, contentType }, done) => {
    const carried = usesBody ? { body, ...(contentType === "" ? {} : { contentType }) } : {};
    perform({ drawn: draw(), ...carried }, ({ status, headers, body: answered }) =>
      done({ status, contentType: valueOf(headers, "Content-Type"), body: bufferOf(answered) }),
    );
  };
}

/** Value of a header in a list of names and values in turn. */
function valueOf(headers: readonly string[], name: string): string {
  return headers[headers.indexOf(name) + 1] ?? "";
}

function bufferOf(body: string | Uint8Array): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
