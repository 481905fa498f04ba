import type { RequestCounts } from "../../model/measurement.js";

/** How a request failed, and the code of the system's error where it was one. */
export interface HeyFailure {
  readonly failure: "timedOut" | "connectErrors" | "resets" | "dropped" | "mismatched" | "unclassified";
  readonly code?: string;
}

/** What Go says of system errors, by code. */
const CODES: readonly (readonly [text: string, code: string])[] = [
  ["connection refused", "ECONNREFUSED"],
  ["connection reset by peer", "ECONNRESET"],
  ["broken pipe", "EPIPE"],
  ["no such host", "ENOTFOUND"],
  ["no route to host", "EHOSTUNREACH"],
  ["network is unreachable", "ENETUNREACH"],
  ["cannot assign requested address", "EADDRNOTAVAIL"],
  ["too many open files", "EMFILE"],
];

/** Tells how a request failed from the error of Go's client: `Get "http://...": read tcp ...: connection reset by peer`. */
export function classifyHeyError(text: string): HeyFailure {
  // Whatever is in the URL is none of the error's words.
  const message = text.replace(/^\w+ "(?:[^"\\]|\\.)*": /, "");
  if (/Client\.Timeout|context deadline exceeded/.test(message)) return { failure: "timedOut" };
  const [, code] = CODES.find(([words]) => message.includes(words)) ?? [];
  const withCode = code === undefined ? {} : { code };
  if (/^(?:dial |proxyconnect |lookup )/.test(message)) return { failure: "connectErrors", ...withCode };
  if (code === "ECONNRESET" || code === "EPIPE") return { failure: "resets", code };
  if (/malformed HTTP|malformed MIME header/.test(message)) return { failure: "mismatched" };
  if (/\bEOF$|server closed idle connection/.test(message)) return { failure: "dropped" };
  return { failure: "unclassified", ...withCode };
}

/** The counts that failures are told in. */
export type HeyFailureCounts = Required<Pick<RequestCounts, HeyFailure["failure"]>>;
