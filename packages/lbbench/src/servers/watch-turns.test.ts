import { parsePolicy, type BackendState, type Policy, type PolicyRequest } from "@lbbench/proxy";
import { expect, test } from "vitest";
import { watchTurns } from "./watch-turns.js";

function aRequest(): PolicyRequest {
  return { headers: {}, socket: {} };
}

function backend(name: string, available = true): BackendState {
  const counts = { requests: 0, errors: 0, aborted: 0, inFlight: 0 };
  return { name, url: `http://${name}`, weight: 1, available, ...counts };
}

/** Picks the backends of these names, one after another. */
function picking(names: readonly string[]): Policy {
  const create = () => {
    let at = 0;
    const pick = <B extends BackendState>(backends: readonly B[]): B | undefined => {
      const name = names[at++];
      return backends.find((one) => one.name === name);
    };
    return { pick };
  };
  return { name: "given", create };
}

const abc = ["a", "b", "c"].map((name) => backend(name));

function watchPicks(policy: Policy, picks: number, backends = abc) {
  const watch = watchTurns(policy, "connections");
  const picker = watch.policy.create();
  const names = Array.from({ length: picks }, () => picker.pick(backends, aRequest())?.name);
  return { ...watch, picker, names };
}

test("picks as the policy does, and says that each was the one after the last", () => {
  const { names, take, policy } = watchPicks(parsePolicy("round-robin"), 7);
  expect(policy.name).toBe("round-robin");
  expect(names.join("")).toBe("abcabca");
  expect(take()).toEqual({
    of: "connections",
    picked: 7,
    inTurn: 7,
    first: ["a", "b", "c", "a", "b", "c", "a"],
    byBackend: { a: 3, b: 2, c: 2 },
  });
});

test("counts those that were not the next in the list", () => {
  const { take } = watchPicks(picking(["a", "a", "b", "a", "c", "a"]), 6);
  expect(take()).toMatchObject({ picked: 6, inTurn: 3, byBackend: { a: 4, b: 1, c: 1 } });
});

test("tells only of what was picked since it was asked last, and remembers whose turn it is", () => {
  const { take, picker } = watchPicks(picking(["a", "b", "c", "b"]), 2);
  take();
  picker.pick(abc, aRequest());
  picker.pick(abc, aRequest());
  expect(take()).toMatchObject({ picked: 2, inTurn: 1, first: ["c", "b"], byBackend: { b: 1, c: 1 } });
  expect(take()).toMatchObject({ picked: 0, inTurn: 0, first: [], byBackend: {} });
});

test("names the first two dozen alone", () => {
  const { take } = watchPicks(parsePolicy("round-robin"), 100);
  const { first, picked } = take();
  expect([first.length, picked]).toEqual([24, 100]);
});

test("does not count a request for which there was no backend", () => {
  const { names, take } = watchPicks(parsePolicy("round-robin"), 2, [backend("a", false)]);
  expect(names).toEqual([undefined, undefined]);
  expect(take()).toMatchObject({ picked: 0, byBackend: {} });
});

test("counts a request once that is sent again, and goes on from the backend that got it in the end", () => {
  const { policy, take } = watchTurns(parsePolicy("round-robin"), "requests");
  const picker = policy.create();
  const [a, b, c] = ["a", "b", "c"].map((name) => ({ ...backend(name) }));
  const backends = [a, b, c] as BackendState[];
  const pick = (request = aRequest()): string | undefined => picker.pick(backends, request)?.name;
  const again = aRequest();
  const names = [pick(), pick(again)];
  // While it is sent once more the one that has failed is marked.
  Object.assign(b as object, { available: false });
  names.push(pick(again));
  Object.assign(b as object, { available: true });
  names.push(pick());
  expect(names).toEqual(["a", "b", "c", "a"]);
  expect(take()).toMatchObject({ picked: 3, inTurn: 3, first: ["a", "b", "a"], byBackend: { a: 2, b: 1 } });
});

test("compares backends, not places, when the list has become another one", () => {
  const { policy, take } = watchTurns(picking(["c", "a", "b"]), "requests");
  const picker = policy.create();
  const [, b, c] = abc;
  picker.pick(abc, aRequest());
  const shorter = [c, abc[0], b] as BackendState[];
  picker.pick(shorter, aRequest());
  picker.pick(shorter.toReversed(), aRequest());
  expect(take()).toMatchObject({ picked: 3, inTurn: 2 });
});
