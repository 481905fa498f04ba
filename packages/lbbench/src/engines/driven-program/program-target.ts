import type { HeaderLine } from "../../model/scenario.js";
import type { Load } from "../../plugin.js";

/** Where a program is to send its requests, and with which headers. */
export interface ProgramTarget {
  /** Without credentials. */
  readonly url: string;
  /** As given, in order; with the credentials of the URL, unless there are others. */
  readonly headers: readonly HeaderLine[];
}

/** Takes the credentials out of a URL, which programs understand differently, and puts them where they are sent. */
export function programTarget({ url: address, request }: Pick<Load, "url" | "request">): ProgramTarget {
  const url = new URL(address);
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  const isGiven = request.headers.some(([name]) => name.toLowerCase() === "authorization");
  if (username === "" || isGiven) return { url: url.href, headers: request.headers };
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const line = ["Authorization", `Basic ${Buffer.from(credentials).toString("base64")}`] as const;
  return { url: url.href, headers: [line, ...request.headers] };
}

/** The body of a request as bytes; `null` for none. */
export function requestBody({ request }: Pick<Load, "request">): Uint8Array | null {
  return request.body === null ? null : Buffer.from(request.body, request.bodyEncoding);
}
