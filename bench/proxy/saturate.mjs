import { output } from "./processes.mjs";

/** Connections of all generators, all kept alive. */
export const CONNECTIONS = 50;

function found(pattern, text) {
  const match = pattern.exec(text);
  return match === null ? [] : match.slice(1).map(Number);
}

/** The figures in what wrk prints. `errors` counts connections and requests that failed, and answers other than 2xx and 3xx. */
export function readWrk(text) {
  const [requestsPerSecond] = found(/^Requests\/sec:\s+([\d.]+)/m, text);
  if (requestsPerSecond === undefined) throw new Error(`wrk printed no rate:\n${text}`);
  const sockets = found(/^\s*Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/m, text);
  const answers = found(/^\s*Non-2xx or 3xx responses: (\d+)/m, text);
  const errors = [...sockets, ...answers].reduce((sum, count) => sum + count, 0);
  return { requestsPerSecond: Math.round(requestsPerSecond), errors };
}

/** Asks for the path as fast as answers come, on all connections; resolves to the rate and the errors. */
export async function saturate(url, seconds) {
  return readWrk(await output("generator", "wrk", ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, url]));
}
