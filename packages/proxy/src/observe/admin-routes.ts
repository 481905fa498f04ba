import type { IncomingMessage } from "node:http";
import { show } from "../options/resolve-values.js";
import { backendRoutes, type BackendControl } from "./admin-backends.js";
import { AdminRequestError, jsonReply, textReply, type AdminReply } from "./admin-reply.js";
import type { AdminRoute, ReadSnapshot } from "./admin-route.js";
import { isUp } from "./conditions.js";
import { OPEN_METRICS_CONTENT_TYPE, renderOpenMetrics } from "./open-metrics.js";

/** What is there to be asked; what changes backends only when there is something to change them with. */
export function adminRoutes(snapshot: ReadSnapshot, backends: BackendControl | undefined): readonly AdminRoute[] {
  const reading: readonly AdminRoute[] = [
    {
      path: /^\/metrics$/,
      method: "GET",
      answer: async () => textReply(200, OPEN_METRICS_CONTENT_TYPE, await renderOpenMetrics(await snapshot())),
    },
    { path: /^\/stats$/, method: "GET", answer: async () => jsonReply(200, await snapshot()) },
    { path: /^\/health$/, method: "GET", answer: async () => health((await snapshot()).backends.some(isUp)) },
  ];
  return backends === undefined ? reading : [...reading, ...backendRoutes(snapshot, backends)];
}

/** Finds the route of a request and takes it; throws an `AdminRequestError` (404, 405) when there is none. */
export async function takeRoute(routes: readonly AdminRoute[], request: IncomingMessage): Promise<AdminReply> {
  const target = request.url ?? "";
  const end = target.indexOf("?");
  const path = end === -1 ? target : target.slice(0, end);
  const query = new URLSearchParams(end === -1 ? "" : target.slice(end));
  // Node sends no body with an answer to HEAD.
  const method = request.method === "HEAD" ? "GET" : request.method;

  const found = routes.flatMap((route) => {
    const match = route.path.exec(path);
    return match === null ? [] : [{ route, encodedName: match[1] ?? "" }];
  });
  const taken = found.find(({ route }) => route.method === method);
  if (taken !== undefined) {
    return taken.route.answer({ request, query, name: decodeName(taken.encodedName) });
  }
  if (found.length === 0) throw new AdminRequestError(404, `There is nothing at ${show(path)}.`);
  const allow = found.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method])).join(", ");
  throw new AdminRequestError(405, `${path}: expected ${allow}, got ${request.method}.`, { allow });
}

function health(healthy: boolean): AdminReply {
  const type = "text/plain; charset=utf-8";
  return healthy ? textReply(200, type, "ok") : textReply(503, type, "No backend is up.");
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AdminRequestError(400, `Name of the backend: expected percent-encoded UTF-8, got ${show(text)}.`);
  }
}
