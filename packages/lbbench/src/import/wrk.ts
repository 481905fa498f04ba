import { latencyByStatus, layoutOf, ProgramError, type Printed } from "./printed.js";
import type { Doubt, LatencySummary } from "../model/measurement.js";
import { exactTime, percentilesOf, readBytes, readFigure, summaryOf, urlOf } from "./figures.js";
import type { Reader } from "./imported-run.js";
import { defined } from "../stats/defined.js";

/**
 * wrk 4. To it every status below 400 is good. A connection that is closed or reset, and an answer that is not HTTP, are the same
 * (`unclassified`). Its latencies are of all answers in time.
 */
export const wrk: Reader = {
  layout: layoutOf(
    ["gave up", "(unable to (?:connect to|resolve) .*)", "may"],
    ["running", String.raw`Running <T> test @ (\S+)`],
    ["threads", "<C> threads? and <C> connections?"],
    ["", String.raw`Thread Stats Avg Stdev Max \+/- Stdev`],
    ["latency", String.raw`Latency <T> <T> <T> (?:[\d.]+|-?nan)%`],
    ["", "Req/Sec .*"],
    ["distribution", String.raw`Latency Distribution(?: \(.*\))?`, "may"],
    ["p99", "99% <T>", "then"],
    ["percentile", "<N>% <T>", "often"],
    ["summary", "<C> requests in <T>, <S> read"],
    ["errors", "Socket errors: connect <C>, read <C>, write <C>, timeout <C>", "may"],
    ["non2xx", "Non-2xx or 3xx responses: <C>", "may"],
    ["rate", "Requests/sec: <N>"],
    ["transfer", "Transfer/sec: <S>"],
  ),
  read: (printed, command, told) => {
    const { texts, number } = printed;
    const [value = "", unit = "", url] = texts("running");
    const answers = number("summary") ?? 0;
    const [time, read] = [texts("summary").slice(1, 3), texts("summary").slice(3)];
    const elapsedMs = exactTime("wrk", answers, readFigure(time), readFigure(texts("rate")));
    const [threads = 1, connections = 1] = texts("threads").map((one) => Number(one) || 1);
    // It rounds down the connections of its threads.
    const opened = Math.floor(connections / threads) * threads;
    const [connectErrors = 0, readErrors = 0, writeErrors = 0, late = 0] = texts("errors").map(Number);
    const non2xx = number("non2xx") ?? 0;
    if (non2xx > answers) throw new ProgramError(`wrk tells of ${answers} answers, ${non2xx} of them bad`);
    // A late answer counts as timed out, as with other engines; late ones are taken to have had a good status.
    const timedOut = Math.min(late, answers - non2xx);
    const unclassified = readErrors + writeErrors;
    const ok = answers - non2xx - timedOut;
    const sent = answers + connectErrors + unclassified;
    const requests = { sent, ok, non2xx, connectErrors, timedOut, unclassified };
    const latency = answers > late ? latencyOf(printed) : undefined;
    const doubts = doubtsOf(answers / connections, elapsedMs, latency);
    // What was added bends the mean so far that it contradicts the throughput.
    const { mean: _, stddev: _also, ...others } = latency ?? {};
    const placed = latencyByStatus(requests, latency === undefined || doubts.length === 0 ? latency : others);
    // Minutes and hours are rounded.
    const askedMs = unit === "s" ? readFigure([value, unit]).value : undefined;
    return {
      url: urlOf(url),
      connections,
      ...defined({ opened: opened === connections ? undefined : opened }),
      amount: {
        durationMs: askedMs ?? command.durationMs ?? told.durationMs ?? Math.round(elapsedMs / 1000) * 1000,
      },
      figures: { elapsedMs, requests, bytes: { received: readBytes(read) }, ...placed },
      doubts: placed.latency === undefined ? [] : doubts,
    };
  },
  gaveUp: ({ texts }) => texts("gave up").map((why) => `wrk gave up: ${why}`)[0],
};

function latencyOf({ texts, all }: Printed): LatencySummary | undefined {
  const [mean, stddev, max] = [0, 2, 4].map((at) => readFigure(texts("latency").slice(at, at + 2)).value);
  const rows = [...all("percentile"), ...all("p99").map((time) => ["99", ...time])];
  const percentiles = percentilesOf(rows.map(([percentage = "", ...time]) => [percentage, readFigure(time).value]));
  return summaryOf({ mean, stddev, ...percentiles, max });
}

/**
 * For every latency of more than twice the mean time between the answers of a connection, wrk adds the latencies that it thinks
 * it missed (`stats_correct`). Without such a latency it added none.
 */
function doubtsOf(rounds: number, elapsedMs: number, latency: LatencySummary | undefined): readonly Doubt[] {
  const most = 2 * (rounds < 1 ? Infinity : elapsedMs / Math.floor(rounds));
  return latency === undefined || (latency.max ?? 0) < most
    ? []
    : [{ figure: "latency", because: "made-up-latencies" }];
}
