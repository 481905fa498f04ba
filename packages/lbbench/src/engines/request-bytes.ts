import type { RequestSpec } from "../model/scenario.js";

/**
 * The exact bytes of one HTTP/1.1 request: headers as given, in order, repetitions kept; `Host` and `Content-Length`
 * are added where they are missing, and `Connection` says what `keepAlive` asks for.
 */
export function requestBytes(url: URL, request: RequestSpec, keepAlive: boolean): Buffer {
  const body = request.body === null ? Buffer.alloc(0) : Buffer.from(request.body, request.bodyEncoding);
  const given = new Set(request.headers.map(([name]) => name.toLowerCase()));
  const lines = [`${request.method} ${url.pathname}${url.search} HTTP/1.1`];
  if (!given.has("host")) lines.push(`Host: ${url.host}`);
  if (!given.has("connection")) lines.push(`Connection: ${keepAlive ? "keep-alive" : "close"}`);
  const credentials = basicCredentials(url);
  if (credentials !== undefined && !given.has("authorization")) lines.push(`Authorization: ${credentials}`);
  if (announcesBody(request) && !given.has("content-length") && !given.has("transfer-encoding")) {
    lines.push(`Content-Length: ${body.length}`);
  }
  for (const [name, value] of request.headers) lines.push(`${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

/** Returns the value of `Authorization` that the user and password of a URL ask for; `undefined` where it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "") return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}

/** Whether a request says how long its body is: one that has a body, or whose method is one with a body (RFC 9110, 8.6). */
export function announcesBody({ method, body }: RequestSpec): boolean {
  return body !== null || ["POST", "PUT", "PATCH"].includes(method);
}
