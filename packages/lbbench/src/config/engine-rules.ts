import type { LoadKind } from "../model/level.js";
import type { Scenario } from "../model/scenario.js";
import type { EngineSupport, LoadAmount, Protocol } from "../plugin.js";
import { loadOf } from "../stats/load.js";
import { DEFAULTS } from "./defaults.js";

/** What of a scenario says what its engines are to be able to do. */
export type LoadDemand = Pick<Scenario, "levels" | "keepAlive" | "httpVersion" | "mix" | "request"> & {
  readonly generators: Scenario["engine"]["generators"];
};

/** One thing that is asked of an engine. */
export interface EngineDemand {
  /** What is asked, after "cannot": `open a connection for each request (--no-keepalive)`. */
  readonly what: string;
  readonly isMet: (supports: EngineSupport) => boolean;
}

const LOAD_NAMES: Readonly<Record<LoadKind, string>> = {
  connections: "keep connections busy (-c)",
  rate: "send at a rate (-r)",
  users: "raise users over time (lbbench ramp)",
};

const AMOUNT_NAMES: Readonly<Record<LoadAmount, string>> = {
  requests: "send a number of requests (-n)",
  duration: "send for a time (-d)",
};

/** Lists what a load asks of the engine of a target that speaks `protocol`, beside speaking it. */
export function engineDemands(load: LoadDemand, protocol: Protocol): readonly EngineDemand[] {
  const { levels, keepAlive, httpVersion, mix, request, generators } = load;
  const kinds = [...new Set(levels.map((level) => loadOf(level).kind))];
  const amounts = [...new Set(levels.map(amountOf))];
  const expects = (mix?.map((entry) => entry.request) ?? [request]).some(
    ({ expectBody, expectStatus }) => expectBody !== null || expectStatus !== DEFAULTS.request.expectStatus,
  );
  return [
    ...kinds.map((kind): EngineDemand => ({ what: LOAD_NAMES[kind], isMet: ({ loads }) => loads.includes(kind) })),
    ...amounts.map((amount): EngineDemand => ({
      what: AMOUNT_NAMES[amount],
      isMet: (supports) => supports.amounts?.includes(amount) ?? true,
    })),
    ...demandIf(
      !keepAlive,
      "open a connection for each request (--no-keepalive, keepAlive: false)",
      (supports) => supports.keepAliveOff,
    ),
    ...demandIf(
      httpVersion !== DEFAULTS.httpVersion && protocol === "http",
      `speak HTTP/${httpVersion}`,
      (supports) => supports.httpVersions?.includes(httpVersion) ?? false,
    ),
    ...demandIf(mix !== null, "send a mix of requests (--mix)", (supports) => supports.mixes ?? false),
    ...demandIf(
      expects,
      "be told what to expect of an answer (--expect-status, --expect-body)",
      (supports) => supports.expectations ?? true,
    ),
    ...demandIf(
      generators !== "auto" && generators > 1,
      "split the load over several processes (--generators)",
      (supports) => supports.generators ?? true,
    ),
  ];
}

function demandIf(asked: boolean, what: string, isMet: EngineDemand["isMet"]): readonly EngineDemand[] {
  return asked ? [{ what, isMet }] : [];
}

function amountOf({ requests }: LoadDemand["levels"][number]): LoadAmount {
  return requests === undefined ? "duration" : "requests";
}
