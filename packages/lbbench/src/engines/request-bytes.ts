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
  if (url.username !== "" && !given.has("authorization")) {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    lines.push(`Authorization: Basic ${Buffer.from(credentials).toString("base64")}`);
  }
  // Methods whose requests have a body announce that there is none (RFC 9110, 8.6).
  const announcesBody = request.body !== null || ["POST", "PUT", "PATCH"].includes(request.method);
  if (announcesBody && !given.has("content-length") && !given.has("transfer-encoding")) {
    lines.push(`Content-Length: ${body.length}`);
  }
  for (const [name, value] of request.headers) lines.push(`${name}: ${value}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}
