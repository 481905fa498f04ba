import type { Measurement } from "../../model/measurement.js";
import type { StepResult } from "../../model/result.js";
import type { ToldScenario } from "../../model/scenario.js";
import { loadOf } from "../../stats/load.js";
import { countForAb, type AbCounts } from "./ab-counts.js";
import { abLine, abLineIf } from "./ab-lines.js";

const KIBIBYTE = 1024;
/** Lines beneath a figure begin where the figure does. */
const NO_LABEL = " ".repeat(24);

/**
 * Returns the lines from `Concurrency Level` to `Transfer rate`. Rates and times per request are of complete requests, as with
 * ab; there are none where nothing was complete. The concurrency is the connections of a closed loop, the users there are in the end
 * of a ramp, and the most connections that an open loop needed; in the last two it was not kept all the time, so that there is no mean
 * time per request by it.
 */
export function abTotalLines(scenario: ToldScenario, step: StepResult, measurement: Measurement): readonly string[] {
  const counts = countForAb(measurement);
  const { bytes, elapsedMs } = measurement;
  const { kind, value } = loadOf(step.level);
  const concurrency = kind === "rate" ? measurement.connections.asked : value;
  const isSending = hasBody(scenario) && bytes.sent !== undefined;
  return [
    abLine("Concurrency Level", concurrency),
    abLine("Time taken for tests", `${(elapsedMs / 1000).toFixed(3)} seconds`),
    abLine("Complete requests", counts.complete),
    ...failureLines(counts),
    ...abLineIf("Total transferred", bytes.received, " bytes"),
    // Head and body, whatever it is called.
    ...(isSending ? abLineIf("Total body sent", bytes.sent) : []),
    ...abLineIf("HTML transferred", bytes.body, " bytes"),
    ...(counts.complete > 0 && elapsedMs > 0
      ? [
          ...rateLines(counts.complete, elapsedMs, kind === "connections" ? concurrency : undefined),
          ...transferLines(elapsedMs, bytes.received, isSending ? bytes.sent : undefined),
        ]
      : []),
  ];
}

function failureLines({ failed, connect, receive, length, non2xx }: AbCounts): readonly string[] {
  return [
    abLine("Failed requests", failed),
    ...(failed > 0 ? [`   (Connect: ${connect}, Receive: ${receive}, Length: ${length}, Exceptions: 0)`] : []),
    ...(non2xx > 0 ? [abLine("Non-2xx responses", non2xx)] : []),
  ];
}

function rateLines(complete: number, elapsedMs: number, concurrency: number | undefined): readonly string[] {
  const perRequestMs = elapsedMs / complete;
  return [
    abLine("Requests per second", `${((complete / elapsedMs) * 1000).toFixed(2)} [#/sec] (mean)`),
    ...(concurrency === undefined
      ? []
      : [abLine("Time per request", `${(perRequestMs * concurrency).toFixed(3)} [ms] (mean)`)]),
    abLine("Time per request", `${perRequestMs.toFixed(3)} [ms] (mean, across all concurrent requests)`),
  ];
}

function transferLines(elapsedMs: number, received: number | undefined, sent: number | undefined): readonly string[] {
  const rate = (bytes: number): string => ((bytes / KIBIBYTE / elapsedMs) * 1000).toFixed(2);
  if (received === undefined) return [];
  return [
    abLine("Transfer rate", `${rate(received)} [Kbytes/sec] received`),
    ...(sent === undefined
      ? []
      : [`${NO_LABEL}${rate(sent)} kb/s sent`, `${NO_LABEL}${rate(received + sent)} kb/s total`]),
  ];
}

function hasBody({ request, mix }: ToldScenario): boolean {
  const requests = mix ?? (request === null ? [] : [{ request, bodies: null }]);
  return requests.some((one) => (one.request?.body ?? null) !== null || one.bodies !== null);
}
