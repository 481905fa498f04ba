/** Plain HTTP over HTTP/2: requests as lists of fields, and answers. */
import { checkFields, type Fields } from "@lbbench/wire";
import type { RequestSpec } from "../../model/scenario.js";
import type { Codec, StreamRequest } from "../http2.js";
import { bodyBytes, sentHeaders, type PlannedRequest } from "../requests.js";

/** Where the status stands in the fields of an answer: no other pseudo-header is before it. */
const STATUS = 1;

/** Creates what sends planned requests as they are, and reads answers, with their `Server-Timing` if that is to be read. */
export function httpCodec(serverTiming: boolean): Codec {
  const requests = new Map<PlannedRequest, StreamRequest>();
  return {
    requestOf: (picked) => {
      const known = requests.get(picked);
      if (known !== undefined) return known;
      const request = http2Request(picked.url, picked.request);
      requests.set(picked, request);
      return request;
    },
    createReader: (account) => ({
      begin: () => {},
      head: (fields, nowUs) => {
        account.startsAnswer(nowUs);
        account.head(Number(fields[STATUS]), serverTiming ? serverTimingOf(fields) : undefined);
      },
      data: (bytes, from, to) => account.body(bytes, from, to - from),
      end: (_trailers, nowUs) => account.settleAnswer(nowUs),
    }),
    awaitsSettings: false,
  };
}

/**
 * Works out how a request to `url` is sent over HTTP/2, by the rules of HTTP/1.1 as far as there is the same: names in small
 * letters, in order, repetitions kept. `Host` becomes `:authority`.
 */
export function http2Request(url: URL, request: RequestSpec): StreamRequest {
  const fields: string[] = [];
  let authority = url.host;
  for (const [name, value] of sentHeaders(url, request)) {
    const key = name.toLowerCase();
    if (key === "host") authority = value;
    else fields.push(key, value);
  }
  const [scheme, path] = [url.protocol.slice(0, -1), `${url.pathname}${url.search}`];
  const pseudo = [":method", request.method, ":scheme", scheme, ":authority", authority, ":path", path];
  const body = bodyBytes(request);
  return { fields: [...pseudo, ...fields], body: body.length === 0 ? null : body };
}

const SOMEWHERE = new URL("http://localhost/");

/** Throws an `Error` for a request that cannot be sent over HTTP/2: with a header about the connection. */
export function checkHttp2Request(request: RequestSpec): void {
  const why = checkFields(http2Request(SOMEWHERE, request).fields, "request");
  if (why === undefined) return;
  throw new Error(
    `Expected a request that can be sent over HTTP/2, got one that cannot: ${why}. Change it, or use HTTP/1.1.`,
  );
}

function serverTimingOf(fields: Fields): string | undefined {
  const values = fields.filter((_, at) => at % 2 === 1 && fields[at - 1] === "server-timing");
  return values.length === 0 ? undefined : values.join(", ");
}
