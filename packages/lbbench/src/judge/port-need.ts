import type { NetworkSettings } from "../model/pressure.js";
import type { Environment, StepResult } from "../model/result.js";
import type { Scenario } from "../model/scenario.js";

/** A port rests this long on the side that closes a connection first: TCP_TIMEWAIT_LEN of Linux, which no setting changes. */
const TIME_WAIT_MS = 60_000;

/** Values of `tcp_tw_reuse`; 2 is of the loopback alone. */
const [NEVER, EVERYWHERE] = [0, 1];

/** How long a port rests after a connection before it can be used for another one to the same destination, in ms. */
export function holdMs(settings: NetworkSettings | undefined, toLoopback: boolean): number {
  const { tcpTwReuse = NEVER, tcpTwReuseDelayMs, tcpTimestamps } = settings ?? {};
  if (tcpTwReuse === null || tcpTwReuse === NEVER || tcpTimestamps === false) return TIME_WAIT_MS;
  return tcpTwReuse === EVERYWHERE || toLoopback ? (tcpTwReuseDelayMs ?? TIME_WAIT_MS) : TIME_WAIT_MS;
}

/** Ports that one address has for connections to one destination; `null` where the system does not tell. */
export function portSupply({ network, portRange }: Environment): number | null {
  if (network !== undefined && network.ephemeralPorts !== null) return network.ephemeralPorts;
  return portRange === null ? null : portRange[1] - portRange[0] + 1;
}

/** What is known of a step before its load is sent. */
export interface PortNeedInput {
  readonly scenario: Pick<Scenario, "keepAlive" | "requestsPerConnection" | "warmupMs" | "hold">;
  readonly level: StepResult["level"];
  /** How long a port rests, in ms. */
  readonly holdMs: number;
  /** Steps of the same target that were executed before. */
  readonly earlier: readonly StepResult[];
}

/** The shortest that a warm-up takes which ends by itself; how long it took is known of earlier steps. */
const LEAST_WARMUP_MS = 1000;

/**
 * Estimates how many ports the load generator takes at most at a time; `null` where that takes the rate of requests, which is not known.
 *
 * With keep-alive these are the connections (or users) of the level, and as many of the warm-up, whose ports still rest; where
 * they are held, those and a burst beside them. Without it every
 * request takes a port, or every so many-th where a connection has a number of them: N of them at most, or rate times the time that a port rests. The rate is the highest of the earlier steps, and so
 * is the part of the requests that leave a socket in TIME_WAIT here: where the server closes first, as most do, the rest is its own.
 */
export function portNeed({ scenario, level, holdMs: rest, earlier }: PortNeedInput): number | null {
  const { requests, durationMs } = level;
  const connections = level.connections ?? level.users ?? 0;
  const warmupMs =
    scenario.warmupMs === "auto"
      ? Math.max(LEAST_WARMUP_MS, ...earlier.map(({ warmup }) => warmup?.durationMs ?? 0))
      : scenario.warmupMs;
  // A few connections warm up what is to hold many.
  if (scenario.hold !== undefined) return connections + (scenario.hold.burst ?? 0);
  const { keepAlive, requestsPerConnection } = scenario;
  if (keepAlive && requestsPerConnection === undefined) return connections * (warmupMs > 0 ? 2 : 1);
  const each = requestsPerConnection ?? 1;
  const measured = earlier.filter(({ measurement }) => measurement !== undefined && measurement.elapsedMs > 0);
  if (measured.length === 0) return requests === undefined ? null : connections + Math.ceil(requests / each);
  const perMs = Math.max(...measured.map(requestsPerMs)) / each;
  const windowMs = Math.min(rest, (durationMs ?? Infinity) + warmupMs);
  const closed = Math.min((requests ?? Infinity) / each + perMs * warmupMs, perMs * windowMs);
  return Math.ceil(connections + closed * Math.max(...measured.map((step) => restingShare(step, rest, each))));
}

function requestsPerMs({ level, measurement }: StepResult): number {
  if (measurement === undefined) return 0;
  const { requests, elapsedMs, timeline } = measurement;
  const mean = requests.sent / elapsedMs;
  return level.users === undefined ? mean : Math.max(mean, ...timeline.map(({ sent }) => sent / 1000));
}

/** The part of its connections after which a step left a socket in TIME_WAIT on this machine; 1 where that was not looked at. */
function restingShare(step: StepResult, rest: number, each: number): number {
  const { measurement, pressure } = step;
  if (measurement === undefined || pressure === undefined || pressure.timeWait === null) return 1;
  const closed = (requestsPerMs(step) / each) * Math.min(measurement.elapsedMs, rest);
  return closed > 0 ? Math.min(1, pressure.timeWait.most / closed) : 1;
}
