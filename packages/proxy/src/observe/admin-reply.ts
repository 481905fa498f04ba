import { STATUS_CODES } from "node:http";
import { BalancerOptionsError } from "../options/balancer-options-error.js";

/** What a request to the admin server is answered with. */
export interface AdminReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that the admin server does not do, and the answer that says so. */
export class AdminRequestError extends Error {
  override readonly name = "AdminRequestError";

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** An answer with a value as JSON. */
export function jsonReply(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): AdminReply {
  return textReply(status, "application/json", `${JSON.stringify(value)}\n`, headers);
}

/** An answer with a text of the given media type. */
export function textReply(
  status: number,
  contentType: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): AdminReply {
  return {
    status,
    // Each answer is of its moment, and no page is to take it for a script.
    headers: {
      ...headers,
      "content-type": contentType,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body,
  };
}

/** The answer to a request that failed: `{ error }` with 400 if its input was bad, 500 if the server is to blame. */
export function failureReply(error: unknown): AdminReply {
  if (error instanceof AdminRequestError) return jsonReply(error.status, { error: error.message }, error.headers);
  if (error instanceof BalancerOptionsError) return jsonReply(400, { error: error.message });
  return jsonReply(500, { error: error instanceof Error ? error.message : STATUS_CODES[500] });
}
