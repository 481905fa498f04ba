import { describe, expect, it } from "vitest";
import type { BackendState, Policy, PolicyRequest } from "../policies/policy.js";

/** Backends as a policy sees them, with all counters at 0. */
export function fakeBackends(count: number): BackendState[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `backend-${index}`,
    url: `http://127.0.0.1:${4001 + index}`,
    requests: 0,
    errors: 0,
    aborted: 0,
    inFlight: 0,
  }));
}

const fakeRequest = { method: "GET", url: "/", headers: {} } as PolicyRequest;

/** Picks many times in a row and returns the names that were picked. */
export function pickMany(picker: ReturnType<Policy["create"]>, backends: readonly BackendState[], times: number) {
  return Array.from({ length: times }, () => picker.pick(backends, fakeRequest)?.name);
}

/** Tests that hold for every policy. */
export function describePolicyContract(createPolicy: () => Policy): void {
  describe(`the contract of policies, kept by ${createPolicy().name}`, () => {
    it("picks one of the backends that it is given", () => {
      const backends = fakeBackends(3);
      const names = new Set(backends.map(({ name }) => name));
      for (const name of pickMany(createPolicy().create(), backends, 100)) expect(names).toContain(name);
    });

    it("picks nothing from an empty pool", () => {
      expect(createPolicy().create().pick([], fakeRequest)).toBeUndefined();
    });

    it("picks the only backend always", () => {
      expect(new Set(pickMany(createPolicy().create(), fakeBackends(1), 10))).toEqual(new Set(["backend-0"]));
    });

    it("goes on when the pool shrinks and grows", () => {
      const picker = createPolicy().create();
      for (const count of [5, 1, 0, 3]) {
        const picked = pickMany(picker, fakeBackends(count), 10);
        expect(picked.every((name) => (name === undefined) === (count === 0))).toBe(true);
      }
    });

    it("makes pickers that share no state", () => {
      const policy = createPolicy();
      const backends = fakeBackends(3);
      const untouched = pickMany(policy.create(), backends, 10);
      const busy = policy.create();
      pickMany(busy, backends, 1);
      expect(pickMany(policy.create(), backends, 10)).toEqual(untouched);
    });
  });
}
