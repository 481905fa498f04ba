/** What is wrong with a sample server on purpose, while it runs. */
import { BACKEND_LIMITS } from "./defaults.js";
import { evenlySpaced } from "./handlers.js";

/** What is to be wrong from now on; what is absent stays as it is. */
export interface Disturbance {
  /** How long each request waits before anything is done with it, in ms; 0 ends that. */
  readonly slowMs?: number;
  /** Share of the requests, 0 to 1 and evenly spaced, that are answered with 503 (gRPC: `UNAVAILABLE`); 0 ends that. */
  readonly errorShare?: number;
}

/** Throws a `RangeError` that says what was expected. */
export function checkDisturbance({ slowMs = 0, errorShare = 0 }: Disturbance): void {
  const check = (name: string, value: number, most: number): void => {
    if (!(value >= 0 && value <= most)) throw new RangeError(`${name}: expected 0 to ${most}, got ${value}.`);
  };
  check("slowMs", slowMs, BACKEND_LIMITS.slowMs);
  check("errorShare", errorShare, 1);
}

/**
 * Lets what serves requests be disturbed: `serve` is to be called in its place, and costs no more than one call as long as nothing is
 * wrong. A request whose client has gone by the end of its wait is dropped.
 */
export function disturbable<Request, Reply>(
  serve: (request: Request, reply: Reply) => void,
  fail: (request: Request, reply: Reply) => void,
  isGone: (request: Request, reply: Reply) => boolean,
) {
  let [slowMs, errorShare] = [0, 0];
  let fails = evenlySpaced(0);
  let current = serve;
  const serveDisturbed = (request: Request, reply: Reply): void => {
    const answer = fails() === 1 ? fail : serve;
    if (slowMs === 0) return answer(request, reply);
    const proceed = (): void => void (isGone(request, reply) || answer(request, reply));
    // The connection keeps the process running, as long as there is one.
    setTimeout(proceed, slowMs).unref();
  };
  return {
    serve: (request: Request, reply: Reply): void => current(request, reply),
    /** Throws a `RangeError`. */
    disturb: (change: Disturbance): void => {
      checkDisturbance(change);
      slowMs = change.slowMs ?? slowMs;
      if (change.errorShare !== undefined) {
        ({ errorShare } = change);
        fails = evenlySpaced(errorShare);
      }
      current = slowMs === 0 && errorShare === 0 ? serve : serveDisturbed;
    },
  };
}
