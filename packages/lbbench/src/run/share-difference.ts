import type { BackendShare } from "../model/measurement.js";

type Shares = Readonly<Record<string, BackendShare>>;

/** What each backend was given between two counts of a balancer. */
export function shareDifference(before: Shares, after: Shares): Shares {
  return Object.fromEntries(
    Object.entries(after).map(([name, share]) => {
      const earlier = Object.hasOwn(before, name) ? before[name] : undefined;
      const requests = share.requests - (earlier?.requests ?? 0);
      return [
        name,
        share.errors === undefined ? { requests } : { requests, errors: share.errors - (earlier?.errors ?? 0) },
      ];
    }),
  );
}
