import { deepStrictEqual, ok } from "node:assert/strict";
import type { BackendState, Picker, Policy } from "../policies/policy.js";
import { examplePool, exampleRequest } from "./example-pool.js";
import type { PolicyCheck, PolicyPromises } from "./policy-check.js";
import { shareChecks } from "./policy-shares.js";

/**
 * What every policy must do, and what this one promises, as a list of tests. `createPolicy` is called anew in each of
 * them.
 */
export function policyContract(createPolicy: () => Policy, promises: PolicyPromises = {}): readonly PolicyCheck[] {
  const createPicker = () => createPolicy().create();
  return [
    { name: "has a name", run: () => ok(createPolicy().name.trim() !== "", "expected a name that is not empty") },
    { name: "picks one of the backends that it is given", run: () => picksAMember(createPicker()) },
    { name: "picks nothing from an empty pool", run: () => picksNothing(createPicker(), []) },
    { name: "picks nothing when no backend is available", run: () => picksNothing(createPicker(), poolOf(3, [])) },
    { name: "picks the only backend that is available", run: () => picksTheOnlyOne(createPicker()) },
    { name: "skips backends that are not available", run: () => skipsUnavailable(createPicker()) },
    { name: "goes on when backends come, go and change places", run: () => goesOn(createPicker()) },
    { name: "leaves the backends and their list as they are", run: () => changesNothing(createPicker()) },
    { name: "picks also for a request that says nothing of itself", run: () => picksForNobody(createPicker()) },
    ...(promises.repeatable === false
      ? []
      : [{ name: "makes pickers that share no state", run: () => sharesNoState(createPolicy()) }]),
    ...shareChecks(createPicker, promises),
  ];
}

/** A pool of `count` backends of which those at the given places are available. */
function poolOf(count: number, available: readonly number[]) {
  const pool = examplePool(Array.from({ length: count }, () => 1));
  for (const [index, backend] of pool.entries()) backend.available = available.includes(index);
  return pool;
}

function picksAMember(picker: Picker): void {
  const pool = examplePool([1, 2, 3]);
  for (let index = 0; index < 100; index++) expectMember(picker, pool, index);
}

function picksNothing(picker: Picker, pool: readonly BackendState[]): void {
  for (let index = 0; index < 10; index++) {
    const picked = picker.pick(pool, exampleRequest(index));
    ok(picked === undefined, `expected undefined, got ${picked?.name}`);
  }
}

function picksTheOnlyOne(picker: Picker): void {
  for (const only of [0, 1, 2]) {
    for (let index = 0; index < 10; index++) {
      const name = picker.pick(poolOf(3, [only]), exampleRequest(index))?.name;
      ok(name === `backend-${only}`, `expected backend-${only}, the only one available, got ${name}`);
    }
  }
}

function skipsUnavailable(picker: Picker): void {
  const pool = examplePool([1, 2, 3, 4]);
  for (let index = 0; index < 1000; index++) {
    for (const [place, backend] of pool.entries()) backend.available = (index + place) % 3 === 0;
    // Others are busier, so that a policy that looks at load alone is tempted.
    for (const backend of pool) backend.inFlight = backend.available ? 5 : 0;
    expectMember(picker, pool, index);
  }
}

function goesOn(picker: Picker): void {
  const all = examplePool([1, 2, 3, 4, 5]);
  const newcomers = examplePool([2]).map((backend) => ({ ...backend, name: "newcomer" }));
  const pools = [all, all.slice(0, 1), [], all.slice(3).toReversed(), all.toReversed(), [...newcomers, ...all]];
  for (let index = 0; index < 600; index++) {
    const pool = pools[index % pools.length] ?? [];
    if (pool.length === 0) picksNothing(picker, pool);
    else expectMember(picker, pool, index);
  }
}

function changesNothing(picker: Picker): void {
  const pool = Object.freeze(examplePool([3, 1, 2]).map((backend) => Object.freeze(backend)));
  for (let index = 0; index < 20; index++) expectMember(picker, pool, index);
}

function picksForNobody(picker: Picker): void {
  const picked = picker.pick(examplePool([1, 1]), { headers: {}, socket: {} });
  ok(picked !== undefined, "expected a backend for a request without method, URL, headers and address, got undefined");
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

function expectMember(picker: Picker, pool: readonly BackendState[], index: number): void {
  const picked = picker.pick(pool, exampleRequest(index));
  ok(picked !== undefined, "expected one of the available backends, got undefined");
  ok(pool.includes(picked), `expected one of the backends of the list, got another object, named ${picked.name}`);
  ok(picked.available, `expected a backend that is available, got ${picked.name}, which is not`);
}
