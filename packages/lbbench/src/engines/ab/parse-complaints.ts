import type { CountedLine } from "../../system/output.js";

/** Why requests failed to receive an answer, and how often, by error code. */
export type ReceiveErrors = Readonly<Record<string, number>>;

/** Numbers of errors on Linux; macOS has others for most. */
const CODES: ReadonlyMap<string, string> = new Map([
  ["32", "EPIPE"],
  ["101", "ENETUNREACH"],
  ["104", "ECONNRESET"],
  ["110", "ETIMEDOUT"],
  ["111", "ECONNREFUSED"],
  ["113", "EHOSTUNREACH"],
]);

/** Counts the failures to receive that ab complains of, one line each, with the number of the system's error. */
export function parseAbComplaints(lines: readonly CountedLine[]): ReceiveErrors {
  const counts: Record<string, number> = {};
  for (const { line, count } of lines) {
    const [, number] = /^apr_socket_recv: .* \((\d+)\)$/.exec(line) ?? [];
    if (number === undefined) continue;
    const code = CODES.get(number) ?? `errno ${number}`;
    counts[code] = (counts[code] ?? 0) + count;
  }
  return counts;
}
