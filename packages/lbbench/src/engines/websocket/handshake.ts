/** What a load asks of a WebSocket server: how WebSockets are opened, and which message is sent over them. */
import { DEFAULTS } from "../../config/defaults.js";
import type { RequestSpec } from "../../model/scenario.js";
import { basicCredentials, bodyBytes } from "../requests.js";

const SUBPROTOCOLS = "sec-websocket-protocol";
/** Headers that make an upgrade, or that only a request with a body has. */
const OWN =
  /^(?:connection|upgrade|keep-alive|te|trailer|transfer-encoding|content-length|sec-websocket-(?:key|version|extensions|accept))$/;
/** RFC 9110, 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/** Reads how WebSockets are opened. Throws an `Error` for a request that cannot be an upgrade, with what to do. */
export function readHandshake(url: string, { method, headers, expectStatus }: RequestSpec) {
  if (method !== DEFAULTS.request.method) {
    throw new Error(
      `method (--method): expected ${DEFAULTS.request.method}, with which every WebSocket is opened, got "${method}". Leave it out for targets that speak WebSocket.`,
    );
  }
  if (expectStatus !== DEFAULTS.request.expectStatus) {
    throw new Error(
      `expectStatus (--expect-status): expected none, because messages have no status, got "${expectStatus}". Leave it out for targets that speak WebSocket.`,
    );
  }
  const named = new Map<string, [name: string, values: string[]]>();
  const subprotocols: string[] = [];
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (OWN.test(key)) {
      throw new Error(
        `headers (--header): expected none that the opening of a WebSocket sets by itself, got "${name}". Leave it out.`,
      );
    }
    if (key === SUBPROTOCOLS) subprotocols.push(...value.split(",").map((one) => one.trim()));
    else named.set(key, [name, [...(named.get(key)?.[1] ?? []), value]]);
  }
  if (new Set(subprotocols).size < subprotocols.length || !subprotocols.every((one) => TOKEN.test(one))) {
    throw new Error(
      `headers (--header): expected names of subprotocols, each once, in Sec-WebSocket-Protocol, got "${subprotocols.join(", ")}".`,
    );
  }
  const target = new URL(url);
  const credentials = basicCredentials(target);
  if (credentials !== undefined && !named.has("authorization")) {
    named.set("authorization", ["Authorization", [credentials]]);
  }
  [target.username, target.password, target.hash] = ["", "", ""];
  // Each name once.
  return { url: target, headers: [...named.values()], subprotocols };
}

/** The message of a request, and the answer to it that is ok: the same, unless another one is expected. */
export function readMessage(request: RequestSpec) {
  const { body, bodyEncoding, expectBody } = request;
  const message = body === null ? Buffer.from(DEFAULTS.websocket.message) : bodyBytes(request);
  return {
    message,
    isBinary: body !== null && bodyEncoding === "base64",
    expected: expectBody === null ? message : Buffer.from(expectBody),
  };
}
