import type { Policy } from "../policies/policy.js";
import { type ExampleBackend, examplePool, exampleRequest } from "../testing/example-pool.js";

/** A request of a simulation that has been answered: by which backend, when it came, and how long that took. */
export interface SimulatedAnswer {
  readonly backend: number;
  readonly atMs: number;
  readonly ms: number;
}

/**
 * Has a policy balance requests over backends that each sleep as long as `latencyOf` says, however many requests they have. Time
 * is that of the simulation: the policy is made with its clock. One request comes every `everyMs`, from 0 to `untilMs`; all are answered.
 */
export function simulate(
  policyWith: (now: () => number) => Policy,
  latencyOf: readonly ((atMs: number) => number)[],
  { everyMs, untilMs }: { readonly everyMs: number; readonly untilMs: number },
): readonly SimulatedAnswer[] {
  let nowMs = 0;
  const picker = policyWith(() => nowMs).create();
  const pool = examplePool(latencyOf.map(() => 1));
  const underWay: { readonly endMs: number; readonly backend: ExampleBackend; readonly answer: SimulatedAnswer }[] = [];
  const answers: SimulatedAnswer[] = [];
  const endUntil = (untilOrAtMs: number): void => {
    for (let next = underWay.at(-1); next !== undefined && next.endMs <= untilOrAtMs; next = underWay.at(-1)) {
      const { backend, answer, endMs } = next;
      underWay.pop();
      nowMs = endMs;
      const { ms } = answer;
      picker.answering?.(backend, ms);
      backend.inFlight -= 1;
      picker.ended?.(backend, { outcome: "answered", ms, waitedMs: ms, status: 200, grpcStatus: undefined });
      answers.push(answer);
    }
  };
  for (let index = 0; index * everyMs < untilMs; index++) {
    const atMs = index * everyMs;
    endUntil(atMs);
    nowMs = atMs;
    const backend = picker.pick(pool, exampleRequest(index));
    if (backend === undefined) throw new Error("Expected the policy to pick one of the backends.");
    backend.inFlight += 1;
    picker.began?.(backend);
    const place = pool.indexOf(backend);
    const ms = latencyOf[place]?.(atMs) ?? 0;
    // The one that ends first is the last of the list.
    const at = underWay.findLastIndex(({ endMs }) => endMs > atMs + ms);
    underWay.splice(at + 1, 0, { endMs: atMs + ms, backend, answer: { backend: place, atMs, ms } });
  }
  endUntil(Infinity);
  return answers;
}
