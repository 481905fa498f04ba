import { deepStrictEqual, ok } from "node:assert/strict";
import type { BackendState, Picker, Policy, RequestEnd } from "../policies/policy.js";
import { type ExampleBackend, examplePool, exampleRequest } from "./example-pool.js";

/** One thing that a policy must do: a test for any test runner. */
export interface PolicyCheck {
  /** A sentence about the policy: `skips backends that are not available`. */
  readonly name: string;
  /** Throws an `AssertionError` when the policy does not do it. */
  readonly run: () => void;
}

/** What a policy promises beyond what every policy must do. */
export interface PolicyPromises {
  /**
   * Which share each available backend gets of 10 000 different requests with none in flight: all the same, or in
   * proportion to its weight. Nothing about shares is checked when it is left out.
   */
  readonly shares?: "equal" | "by-weight";
  /**
   * How far a share may be from that, as a part of all requests; 0 by default, which leaves one request for what does
   * not divide. By chance alone shares stay within 0.02 but for one run in 10 000; give such a policy a seed.
   */
  readonly tolerance?: number;
  /** `false` for a policy whose pickers differ by chance; it is then not checked that they share no state. */
  readonly repeatable?: boolean;
}

/**
 * What every policy must do, and what this one promises, as a list of tests. `createPolicy` is called anew in each of
 * them.
 */
export function policyContract(createPolicy: () => Policy, promises: PolicyPromises = {}): readonly PolicyCheck[] {
  const overPickers = (checks: PickerChecks): readonly PolicyCheck[] =>
    Object.entries(checks).map(([name, run]) => ({ name, run: () => run(createPolicy().create()) }));
  const sharing = { name: "makes pickers that share no state", run: () => sharesNoState(createPolicy()) };
  const sticking = {
    name: "picks the same backend again for a request that sticks to it",
    run: () => sticks(createPolicy()),
  };
  return [
    { name: "has a name", run: () => ok(createPolicy().name.trim() !== "", "expected a name that is not empty") },
    ...overPickers(ALWAYS),
    sticking,
    ...(promises.repeatable === false ? [] : [sharing]),
    ...overPickers(shareChecks(promises)),
  ];
}

/** Checks by what a policy does. */
type PickerChecks = Readonly<Record<string, (picker: Picker) => void>>;

const ALWAYS: PickerChecks = {
  "picks one of the backends that it is given": (picker) => picksMembers(picker, examplePool([1, 2, 3]), 100),
  "picks nothing from an empty pool": (picker) => picksNothing(picker, []),
  "picks nothing when no backend is available": (picker) => picksNothing(picker, poolOf(3, [])),
  "picks the only backend that is available"(picker) {
    for (let index = 0; index < 30; index++) {
      const only = Math.floor(index / 10);
      const name = picker.pick(poolOf(3, [only]), exampleRequest(index))?.name;
      ok(name === `backend-${only}`, `expected backend-${only}, the only one available, got ${name}`);
    }
  },
  "skips backends that are not available"(picker) {
    const pool = examplePool([1, 2, 3, 4]);
    for (let index = 0; index < 1000; index++) {
      for (const [place, backend] of pool.entries()) backend.available = (index + place) % 3 === 0;
      // Others are busier, so that a policy that looks at load alone is tempted.
      for (const backend of pool) backend.inFlight = backend.available ? 5 : 0;
      picksMember(picker, pool, index);
    }
  },
  "goes on when backends come, go and change places"(picker) {
    const all = examplePool([1, 2, 3, 4, 5]);
    const newcomers = examplePool([2]).map((backend) => ({ ...backend, name: "newcomer" }));
    const pools = [all, all.slice(0, 1), [], all.slice(3).toReversed(), all.toReversed(), [...newcomers, ...all]];
    for (let index = 0; index < 600; index++) {
      const pool = pools[index % pools.length] ?? [];
      if (pool.length === 0) picksNothing(picker, pool);
      else picksMember(picker, pool, index);
    }
  },
  "goes on whatever becomes of the requests that it is told of": (picker) => toldOfRequests(picker),
  "leaves the backends and their list as they are": (picker) =>
    picksMembers(picker, Object.freeze(examplePool([3, 1, 2]).map((backend) => Object.freeze(backend))), 20),
  "picks also for a request that says nothing of itself"(picker) {
    const picked = picker.pick(examplePool([1, 1]), { headers: {}, socket: {} });
    const expected = "expected a backend for a request without method, URL, headers and address";
    ok(picked !== undefined, `${expected}, got undefined`);
  },
};

/** A pool of `count` backends of which those at the given places are available. */
function poolOf(count: number, available: readonly number[]) {
  const pool = examplePool(Array.from({ length: count }, () => 1));
  for (const [index, backend] of pool.entries()) backend.available = available.includes(index);
  return pool;
}

function picksNothing(picker: Picker, pool: readonly BackendState[]): void {
  for (let index = 0; index < 10; index++) {
    const picked = picker.pick(pool, exampleRequest(index));
    ok(picked === undefined, `expected undefined, got ${picked?.name}`);
  }
}

function picksMembers(picker: Picker, pool: readonly BackendState[], times: number): void {
  for (let index = 0; index < times; index++) picksMember(picker, pool, index);
}

function picksMember(picker: Picker, pool: readonly BackendState[], index: number): void {
  const picked = picker.pick(pool, exampleRequest(index));
  ok(picked !== undefined, "expected one of the available backends, got undefined");
  ok(pool.includes(picked), `expected one of the backends of the list, got another object, named ${picked.name}`);
  ok(picked.available, `expected a backend that is available, got ${picked.name}, which is not`);
}

/** How requests end, one after the other: with an answer that has begun before, and without. */
const ENDS: readonly RequestEnd[] = (["answered", "failed", "aborted", "unsent"] as const).flatMap((outcome) => {
  const rest = { outcome, ms: 9, status: outcome === "answered" ? 200 : 0, grpcStatus: undefined };
  const unanswered: RequestEnd = { ...rest, waitedMs: undefined };
  const begun: RequestEnd = { ...rest, waitedMs: 4 };
  return { answered: [begun], unsent: [unanswered], failed: [begun, unanswered], aborted: [begun, unanswered] }[
    outcome
  ];
});

/**
 * Tells a picker of requests as a balancer does, also of such as go to a backend that it has not picked. Some end at once, others when many have
 * begun. When all have ended it has to pick any backend that is the only one available.
 */
function toldOfRequests(picker: Picker): void {
  const pool = examplePool([1, 2, 3]);
  const begun: ExampleBackend[] = [];
  const end = (index: number): void => {
    const [backend] = begun.splice(index % begun.length, 1);
    const how = ENDS[index % ENDS.length];
    if (backend === undefined || how === undefined) return;
    if (how.waitedMs !== undefined) picker.answering?.(backend, how.waitedMs);
    backend.inFlight -= 1;
    picker.ended?.(backend, how);
  };
  for (let index = 0; index < 600; index++) {
    picksMember(picker, pool, index);
    const backend = index % 7 === 0 ? pool[index % pool.length] : picker.pick(pool, exampleRequest(index));
    const place = pool.find((one) => one === backend);
    if (place === undefined) continue;
    place.requests += 1;
    place.inFlight += 1;
    begun.push(place);
    picker.began?.(place);
    if (index % 50 > 20) while (begun.length > index % 5) end(index);
  }
  while (begun.length > 0) end(begun.length);
  for (const only of pool) {
    for (const backend of pool) backend.available = backend === only;
    const name = picker.pick(pool, exampleRequest(0))?.name;
    ok(name === only.name, `expected ${only.name}, the only one available when all requests had ended, got ${name}`);
  }
}

function sharesNoState(policy: Policy): void {
  const pool = examplePool([1, 2, 3]);
  const pickTen = (picker: Picker) =>
    Array.from({ length: 10 }, (_, index) => picker.pick(pool, exampleRequest(index))?.name);
  const untouched = pickTen(policy.create());
  const used = policy.create();
  // Several times, because a turn that is shared may by chance be back where it was.
  for (let index = 0; index < 5; index++) {
    const fresh = policy.create();
    used.pick(pool, exampleRequest(index));
    deepStrictEqual(pickTen(fresh), untouched, "expected a fresh picker to pick as the first one did");
  }
}

function sticks(policy: Policy): void {
  const picker = policy.create();
  const pool = examplePool([1, 2, 3]);
  const seen = new Map<number, string | undefined>();
  for (let pick = 0; pick < 200; pick++) {
    const index = pick % 20;
    const picked = picker.pick(pool, exampleRequest(index))?.name;
    if (policy.sticks?.(exampleRequest(index)) !== true) continue;
    const expected = seen.get(index) ?? picked;
    ok(picked === expected, `expected ${expected} again for a request that sticks, got ${picked}`);
    seen.set(index, picked);
    // So that a policy that looks at load or at its last turn is tempted.
    for (const backend of pool) backend.inFlight = backend.name === picked ? backend.inFlight + 1 : 0;
  }
  const nothing = policy.sticks?.({ headers: {}, socket: {} });
  ok(nothing === undefined || typeof nothing === "boolean", `expected sticks to say true or false, got ${nothing}`);
}

const PICKS = 10_000;

/** Tests of the shares that a policy promises; none when it promises none. */
function shareChecks({ shares, tolerance = 0 }: PolicyPromises): PickerChecks {
  if (shares === undefined) return {};
  const expectShares = (picker: Picker, pool: readonly ExampleBackend[]): void => {
    const counts = countPicks(picker, pool);
    const partOf = ({ available, weight }: ExampleBackend) => (available ? (shares === "equal" ? 1 : weight) : 0);
    const whole = pool.reduce((sum, backend) => sum + partOf(backend), 0);
    for (const backend of pool) {
      const expected = (PICKS * partOf(backend)) / whole;
      const count = counts.get(backend.name) ?? 0;
      // Less than one is left over where it does not divide.
      ok(
        Math.abs(count - expected) < PICKS * tolerance + 1,
        `expected ${expected.toFixed(1)} of ${PICKS} requests for ${backend.name} (weight ${backend.weight}), ` +
          `within ${PICKS * tolerance}; got ${count}`,
      );
    }
  };
  const described = shares === "equal" ? "equal shares" : "shares by weight";
  return {
    [`gives backends of one weight equal shares of ${PICKS} requests`]: (picker) =>
      expectShares(picker, examplePool([1, 1, 1, 1])),
    [`gives ${described} of ${PICKS} requests to backends of different weights`]: (picker) =>
      expectShares(picker, examplePool([1, 2, 3, 4])),
    [`gives ${described} to those that are left while a backend is not available, and to all when it is back`](picker) {
      const pool = examplePool([1, 2, 3, 4]);
      for (const available of [true, false, true]) {
        for (const backend of pool.slice(1, 2)) backend.available = available;
        expectShares(picker, pool);
      }
    },
  };
}

function countPicks(picker: Picker, pool: readonly ExampleBackend[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index < PICKS; index++) {
    const name = picker.pick(pool, exampleRequest(index))?.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
