import { expect } from "vitest";
import { type BackendState, eventsOf, type Policy, type RequestEnd } from "../policies/policy.js";

/** What a policy was told of the requests of one backend. */
type Told = Record<"began" | "answering" | "waited" | RequestEnd["outcome"], number>;

/**
 * A policy that picks as another one, and notes what it is told. `expectBalanced`, called when the balancer has closed, checks that each
 * request that began has ended once, and was counted as the backend counts it.
 */
export function watchRequests(policy: Policy) {
  const backends = new Map<BackendState, Told>();
  const wrong: string[] = [];
  const note = (backend: BackendState, what: keyof Told): Told => {
    const none = { began: 0, answering: 0, waited: 0, answered: 0, failed: 0, aborted: 0, unsent: 0 };
    const told = backends.get(backend) ?? none;
    backends.set(backend, told);
    told[what] += 1;
    const under = told.began - told.answered - told.failed - told.aborted - told.unsent;
    if (backend.inFlight !== under)
      wrong.push(`${what} of ${backend.name}: ${backend.inFlight} in flight, told ${under}`);
    if (told.answering > told.began) wrong.push(`${what} of ${backend.name}: more answers than requests`);
    return told;
  };
  const watched: Policy = {
    ...policy,
    create: () => {
      const picker = policy.create();
      const told = eventsOf(picker);
      return {
        pick: (list, request) => picker.pick(list, request),
        began: (backend) => {
          note(backend, "began");
          told.began?.(backend);
        },
        answering: (backend, waitedMs) => {
          note(backend, "answering");
          if (!(waitedMs >= 0)) wrong.push(`answering of ${backend.name}: ${waitedMs} ms`);
          told.answering?.(backend, waitedMs);
        },
        ended: (backend, end) => {
          const { outcome, ms, waitedMs } = end;
          const noted = note(backend, outcome);
          if (waitedMs !== undefined) noted.waited += 1;
          if (!(ms >= (waitedMs ?? 0)))
            wrong.push(`${outcome} of ${backend.name}: ${ms} ms, of which ${waitedMs} waited`);
          told.ended?.(backend, end);
        },
      };
    },
  };
  const expectBalanced = (): void => {
    expect(wrong).toEqual([]);
    for (const [{ name, requests, errors, aborted, inFlight }, told] of backends) {
      const counted = { requests, errors, aborted, inFlight, answering: told.answering };
      const expected = {
        requests: told.answered + told.failed + told.aborted,
        errors: told.failed,
        aborted: told.aborted,
        inFlight: 0,
        answering: told.waited,
      };
      expect({ name, ...counted }).toEqual({ name, ...expected });
    }
  };
  return { policy: watched, expectBalanced };
}
