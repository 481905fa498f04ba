import type { Handler } from "../handlers/handler-kind.js";
import { drainBody } from "../handlers/drain-body.js";
import { prepareAnswer } from "../handlers/prepared-answer.js";
import { sendAnswer } from "../handlers/send-answer.js";
import type { PoolStats } from "./pool-stats.js";

/** The path of the counts. */
export const STATS_PATH = "/stats";

const notFound = prepareAnswer(404, "text/plain; charset=utf-8", `Expected GET ${STATS_PATH}.\n`);

/** Answers `GET /stats` with the counts of now, as JSON, and everything else with 404. */
export function adminHandler(stats: () => PoolStats): Handler {
  return (request, response) =>
    drainBody(request, () => {
      const known = request.method === "GET" && request.url === STATS_PATH;
      sendAnswer(response, known ? prepareAnswer(200, "application/json", JSON.stringify(stats())) : notFound);
    });
}
