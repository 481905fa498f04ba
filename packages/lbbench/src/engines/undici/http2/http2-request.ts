import type { OutgoingHttpHeaders } from "node:http2";
import type { RequestSpec } from "../../../model/scenario.js";
import { announcesBody, basicCredentials } from "../../request-bytes.js";

/** One request as it is given to Node: pseudo-headers first. */
export interface Http2Request {
  readonly headers: OutgoingHttpHeaders;
  /** `null` for none: the headers end the request. */
  readonly body: Buffer | null;
}

/**
 * Works out how a request to `url` is sent over HTTP/2, by the rules of HTTP/1.1 as far as there is the same: names in lower
 * case, in the order in which they are given; a name that is repeated has its values one after the other where it comes
 * first. `Host` becomes `:authority`, and there is no `Connection`.
 */
export function http2Request(url: URL, request: RequestSpec): Http2Request {
  const given = new Map<string, string[]>();
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  const body = request.body === null ? Buffer.alloc(0) : Buffer.from(request.body, request.bodyEncoding);
  const authority = given.get("host")?.[0] ?? url.host;
  given.delete("host");
  const credentials = given.has("authorization") ? undefined : basicCredentials(url);
  return {
    headers: {
      ":method": request.method,
      ":scheme": url.protocol.slice(0, -1),
      ":authority": authority,
      ":path": `${url.pathname}${url.search}`,
      ...(credentials === undefined ? {} : { authorization: credentials }),
      ...(announcesBody(request) && !given.has("content-length") ? { "content-length": String(body.length) } : {}),
      ...Object.fromEntries([...given].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
    },
    body: body.length === 0 ? null : body,
  };
}
