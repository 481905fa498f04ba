import type { IncomingMessage } from "node:http";

/** How a backend's head is passed on. */
export interface AnswerHeadOptions {
  /** Header that names the backend, in place of one that the backend may have sent. */
  readonly backendHeader: string | false;
  readonly backendName: string;
  /** Whether the client is asked to close its connection. */
  readonly closing: boolean;
}

/**
 * The headers of a backend's answer as the client gets them, flat: name, value, name, value. Those of the hop are left
 * out.
 */
export function answerHeaders(answer: IncomingMessage, httpVersion: string, options: AnswerHeadOptions): string[] {
  const { rawHeaders } = answer;
  const ownHeader = options.backendHeader === false ? undefined : options.backendHeader.toLowerCase();
  const headers: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const lowerCase = name.toLowerCase();
    if (isOfHop(lowerCase, httpVersion) || lowerCase === ownHeader) continue;
    headers.push(name, rawHeaders[i + 1] as string);
  }
  if (options.backendHeader !== false) headers.push(options.backendHeader, options.backendName);
  if (options.closing) headers.push("Connection", "close");
  return headers;
}

function isOfHop(name: string, httpVersion: string): boolean {
  switch (name) {
    case "connection":
    case "keep-alive":
    case "proxy-connection":
    case "upgrade":
      return true;
    case "transfer-encoding":
      // A client of HTTP/1.0 knows no chunks; the end of its connection ends its answer.
      return httpVersion === "1.0";
    default:
      return false;
  }
}
