import { parsePolicy, type BackendState, type Policy, type PolicyRequest } from "@lbbench/proxy";
import { expect, test } from "vitest";
import { watchTurns } from "./balancer-policy.js";

const aRequest = (): PolicyRequest => ({ headers: {}, socket: {} });

function backend(name: string, available = true): BackendState {
  const counts = { requests: 0, errors: 0, aborted: 0, inFlight: 0 };
  return { name, url: `http://${name}`, weight: 1, available, ...counts };
}

const [a, b, c] = [backend("a"), backend("b"), backend("c")];

/** Picks the backends of these names, one after another. */
function picking(names: string): Policy {
  const left = names.split("");
  const pick = <B extends BackendState>(backends: readonly B[]): B | undefined => {
    const name = left.shift();
    return backends.find((one) => one.name === name);
  };
  return { name: "given", create: () => ({ pick }) };
}

function watchPicks(policy: Policy, picks: number, backends = [a, b, c]) {
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

test("tells of what was picked since it was asked last, and whether it was next, also after the last question", () => {
  const { take, picker } = watchPicks(picking("aabacacb"), 6);
  expect(take()).toMatchObject({ picked: 6, inTurn: 3, byBackend: { a: 4, b: 1, c: 1 } });
  for (const _ of [1, 2]) picker.pick([a, b, c], aRequest());
  expect(take()).toMatchObject({ picked: 2, inTurn: 0, first: ["c", "b"], byBackend: { b: 1, c: 1 } });
  expect(take()).toMatchObject({ picked: 0, inTurn: 0, first: [], byBackend: {} });
});

test("counts a request once that is sent again, and goes on from the backend that got it in the end", () => {
  const { policy, take } = watchTurns(parsePolicy("round-robin"), "requests");
  const picker = policy.create();
  const again = { ...aRequest(), isRetry: true };
  const pick = (request = aRequest(), isUp = true): string | undefined =>
    // While it is sent once more the one that has failed is marked.
    picker.pick([a, backend("b", isUp), c], request)?.name;
  expect([pick(), pick(), pick(again, false), pick()]).toEqual(["a", "b", "c", "a"]);
  expect(take()).toMatchObject({ picked: 3, inTurn: 3, first: ["a", "b", "a"], byBackend: { a: 2, b: 1 } });
});
