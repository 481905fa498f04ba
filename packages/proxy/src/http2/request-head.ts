import type { Fields } from "@lbbench/wire";

/** Methods whose requests have a body by their nature: without one they say so, since some servers ask for a length (RFC 9110, 8.6). */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/**
 * The head of a request of HTTP/2 as one of HTTP/1.1, latin1 with its blank line: what is strict about the one is then
 * asked of the other, too. `fields` are well-formed. `ends`: it has no body.
 */
export function requestHeadOf(fields: Fields, ends: boolean): string {
  let method = "";
  let path = "";
  let authority: string | undefined;
  let host: string | undefined;
  let cookies = "";
  let hasLength = false;
  let lines = "";
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] as string;
    const value = fields[at + 1] as string;
    if (name === ":method") method = value;
    else if (name === ":path") path = value;
    else if (name === ":authority") authority = value;
    else if (name === "host") host = value;
    // Clients send them in pieces, so that those can be compressed (RFC 9113, 8.2.3).
    else if (name === "cookie") cookies += cookies === "" ? value : `; ${value}`;
    else if (name === "content-length") {
      // The same length may stand there twice.
      if (!hasLength) lines += `content-length: ${value}\r\n`;
      hasLength = true;
    } else if (name !== ":scheme") lines += `${name}: ${value}\r\n`;
  }
  // The authority counts where there are both (RFC 9113, 8.3.1).
  const asked = authority === undefined || authority === "" ? host : authority;
  const hostLine = asked === undefined ? "" : `Host: ${asked}\r\n`;
  if (cookies !== "") lines += `cookie: ${cookies}\r\n`;
  if (!hasLength && !ends) lines += "Transfer-Encoding: chunked\r\n";
  else if (!hasLength && WITH_BODY.has(method)) lines += "Content-Length: 0\r\n";
  // CONNECT has no path, and is refused for its method.
  return `${method} ${path === "" ? asked : path} HTTP/1.1\r\n${hostLine}${lines}\r\n`;
}
