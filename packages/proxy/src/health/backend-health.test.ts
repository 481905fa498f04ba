import { describe, expect, it } from "vitest";
import { resolveOptions } from "../options/resolve-options.js";
import type { HealthOptions } from "../options/options.js";
import { BackendHealth, type HealthEvent } from "./backend-health.js";

const PASSIVE: HealthOptions = { passive: { failures: 2, ejectMs: 100, maxEjectMs: 400 } };
const ACTIVE: HealthOptions = { passive: false, active: { healthyAfter: 2, unhealthyAfter: 3 } };
const BOTH: HealthOptions = { ...ACTIVE, ...PASSIVE };
const OUTLIER: HealthOptions = { ...PASSIVE, outliers: { ejectMs: 1000, maxEjectMs: 3000 }, slowStartMs: 50 };
const RULES = new Map(Object.entries({ PASSIVE, ACTIVE, BOTH, SLOW: { ...BOTH, slowStartMs: 50 }, OUTLIER }));

/** Tells the events of a story, `5 failed: up, 6 failed: ejected`: the ms, the event and what it makes; returns what it made. */
function follow(options: HealthOptions = {}, story: string): string {
  const rules = resolveOptions({ backends: [{ url: "http://127.0.0.1:4001" }], health: options }).health;
  const health = new BackendHealth(rules);
  const told = story.split(", ").map((step) => {
    const [atMs, event = ""] = step.split(/[ :]/);
    health.tell(event as HealthEvent, Number(atMs));
    return `${atMs} ${event}: ${health.condition}`;
  });
  return told.join(", ");
}

const STORIES = `
  PASSIVE | ejects after failures in a row | 0 failed: up, 1 succeeded: up, 2 failed: up, 3 failed: ejected
  PASSIVE | ends an ejection when its time is over, and no sooner | 0 failed: up, 0 failed: ejected, 99 tick: ejected, 100 tick: up
  PASSIVE | ejects for twice as long with one failure after an ejection, up to the longest time | 0 failed: up, 0 failed: ejected, 100 tick: up, 100 failed: ejected, 299 tick: ejected, 300 tick: up, 300 failed: ejected, 699 tick: ejected, 700 tick: up, 700 failed: ejected, 1099 tick: ejected, 1100 tick: up
  PASSIVE | begins anew after a success | 0 failed: up, 0 failed: ejected, 100 tick: up, 100 succeeded: up, 101 failed: up, 102 failed: ejected, 201 tick: ejected, 202 tick: up
  PASSIVE | does not look at requests that end during an ejection, not even in the moment in which it ends | 0 failed: up, 0 failed: ejected, 50 failed: ejected, 60 succeeded: ejected, 100 failed: up, 101 failed: ejected, 300 tick: ejected, 301 tick: up
  PASSIVE | does not eject the last one, but does so with the next failure when it is not the last any more | 0 failed-as-last: up, 1 failed-as-last: up, 2 failed-as-last: up, 3 failed: ejected
  ACTIVE | is unhealthy after failed checks in a row, and healthy after passed ones in a row | 0 check-failed: up, 1 check-failed: up, 2 check-passed: up, 3 check-failed: up, 4 check-failed: up, 5 check-failed: unhealthy, 6 check-passed: unhealthy, 7 check-failed: unhealthy, 8 check-passed: unhealthy, 9 check-passed: up
  BOTH | ends an ejection when it recovers by its checks, and begins with a clean record | 0 failed: up, 0 failed: ejected, 1 check-failed: ejected, 2 check-failed: ejected, 3 check-failed: unhealthy, 4 check-passed: unhealthy, 5 check-passed: up, 6 failed: up, 7 failed: ejected, 107 tick: up
  BOTH | is draining until it is restored, whatever else | 0 drain: draining, 1 drain: draining, 2 failed: draining, 3 failed: draining, 4 succeeded: draining, 5 restore: up, 6 restore: up
  BOTH | is checked during a drain too, and still unhealthy after it | 0 drain: draining, 1 check-failed: draining, 2 check-failed: draining, 3 check-failed: draining, 4 restore: unhealthy, 5 check-passed: unhealthy, 6 check-passed: up
  SLOW | starts slowly after an ejection, and fails in that as before | 0 failed: up, 0 failed: ejected, 100 tick: slow-start, 149 tick: slow-start, 149 succeeded: slow-start, 150 tick: up, 151 failed: up, 151 failed: ejected, 251 tick: slow-start, 252 failed: ejected, 451 tick: ejected, 452 tick: slow-start
  SLOW | starts slowly after a drain and after it was unhealthy | 0 drain: draining, 10 restore: slow-start, 20 check-failed: slow-start, 21 check-failed: slow-start, 22 check-failed: unhealthy, 70 check-passed: unhealthy, 71 check-passed: slow-start, 120 tick: slow-start, 121 tick: up
  OUTLIER | ejects one that fails more, or is slower, and twice as long the next time, up to the longest | 0 errs-more: ejected, 999 tick: ejected, 1000 tick: slow-start, 1100 is-slower: ejected, 3099 tick: ejected, 3100 tick: slow-start, 3200 errs-more: ejected, 6199 tick: ejected, 6200 tick: slow-start
  OUTLIER | begins with the shortest time after an ordinary window, not after a success | 0 is-slower: ejected, 1000 tick: slow-start, 1001 succeeded: slow-start, 1100 is-slower: ejected, 3100 tick: slow-start, 3200 is-ordinary: up, 3201 is-slower: ejected, 4201 tick: slow-start
  OUTLIER | counts failures in a row apart | 0 is-slower: ejected, 1000 tick: slow-start, 1100 failed: up, 1101 failed: ejected, 1201 tick: slow-start
  OUTLIER | is not ejected twice, nor while it is draining | 0 is-slower: ejected, 500 errs-more: ejected, 1000 tick: slow-start, 1001 drain: draining, 1002 is-slower: draining, 1003 restore: slow-start
  BOTH | is not ejected as an outlier where that is off | 0 is-slower: up
`;

describe("the health of a backend", () => {
  it.each(
    STORIES.trim()
      .split("\n")
      .map((line) => line.trim().split(" | ")),
  )("%s: %s", (rules = "", _, story = "") => {
    expect(follow(RULES.get(rules), story)).toBe(story);
  });

  it("tells why it is ejected, and how often it was", () => {
    const { health: rules } = resolveOptions({ backends: [{ url: "http://127.0.0.1:4001" }], health: OUTLIER });
    const health = new BackendHealth(rules);
    const told = (["is-slower", "tick", "errs-more", "tick", "failed", "failed", "drain"] as const).map((event, at) => {
      health.tell(event, at * 10_000);
      return health.ejectedFor;
    });
    expect(told).toEqual(["latency", undefined, "errors", undefined, undefined, "failures", undefined]);
    expect(health.ejections()).toEqual({ failures: 1, errors: 1, latency: 1 });
  });
});
