import { AB, abFigures, carriedMean, countAbRequests, parseAbComplaints, readAbOutput } from "./ab-output.js";
import type { AbCounts, AbOutput } from "./ab-output.js";
import type { Printed } from "./printed.js";
import { countOf } from "../stats/format-number.js";
import { percentilesOf, summaryOf, urlOf } from "./figures.js";
import type { ImportedRun, NotInOutput, Reader } from "./imported-run.js";
import type { ToldCommand } from "./read-command.js";
import { defined } from "../stats/defined.js";

/** With a time ab sends this many requests at most, unless it is told another number. */
const MOST_IN_A_TIME = 50_000;

/** ab 2.3. Its latencies are of all requests that came to an end. */
export const ab: Reader = {
  layout: AB,
  read: (printed, command, told) => {
    const { has, texts } = printed;
    const output = readAbOutput(printed);
    const counts = countRequests(printed, output);
    const [host = "", port = "", path = ""] = ["host", "port", "path"].flatMap(texts);
    const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const latency = output.complete === 0 ? undefined : latencyOf(printed, output);
    return {
      version: texts("banner")[0] ?? null,
      url: urlOf(`${has("tls") ? "https" : "http"}://${name}:${port}${path}`) ?? command.url,
      connections: output.concurrency || command.connections,
      ...amountOf(output.complete, command, told),
      keepAlive: has("kept alive"),
      figures: abFigures(output, counts, latency, has("kept alive")),
      doubts: counts.doubts,
    };
  },
  gaveUp: ({ texts, number }) => {
    const [why] = [...texts("asked"), ...texts("complaint")].filter((text) => text !== "");
    const ended = number("ended");
    return why && `ab gave up${ended === undefined ? "" : ` after ${countOf(ended, "request")}`}: ${why}`;
  },
};

/** A run by time that reaches its number of requests ends there. */
function amountOf(
  complete: number,
  { requests, durationMs }: ToldCommand,
  told: NotInOutput,
): Pick<ImportedRun, "amount" | "isAmountCounted"> {
  const timeMs = durationMs ?? (requests === undefined ? told.durationMs : undefined);
  if (timeMs !== undefined && complete !== (requests ?? MOST_IN_A_TIME)) return { amount: { durationMs: timeMs } };
  const isCounted = requests === undefined && timeMs === undefined;
  return { amount: { requests: complete }, ...defined({ isAmountCounted: isCounted ? true : undefined }) };
}

/** Where nothing tells an answer with an empty body from a connection that was closed without one, both count as answered. */
function countRequests({ all }: Printed, output: AbOutput): AbCounts {
  const { complete, documentLength = 0, keptAlive = 0, failures, non2xx } = output;
  const errors = parseAbComplaints(all("complaint").map(([line = ""]) => ({ line, count: 1 })));
  if (documentLength > 0 || complete - keptAlive <= failures.receive) return countAbRequests(output, errors);
  // An answer of another length is one with an empty body where the first was empty.
  const withoutLengths = { ...output, documentLength: undefined, failures: { ...failures, length: failures.receive } };
  const { requests, doubts } = countAbRequests(withoutLengths, errors);
  return { requests, doubts: complete > non2xx ? [{ figure: "errors", because: "closed-uncounted" }] : doubts };
}

/** In whole ms; nothing where they took no time as far as ab can tell. */
function latencyOf({ all, texts, number }: Printed, { phases }: AbOutput) {
  const [min, , , , max] = texts("total").map(Number);
  const told = percentilesOf(all("percentile").map(([percentage = "", ms]) => [percentage, Number(ms)]));
  const latency = summaryOf({ min, ...told, max: number("longest") ?? max });
  return phases?.total.median === 0 ? undefined : latency && { ...latency, ...carriedMean(phases?.total) };
}
