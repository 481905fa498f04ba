import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFifo } from "./fifo.js";

type Operation = "push" | "shift" | { readonly remove: number };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Operation>("push") },
  { weight: 2, arbitrary: fc.constant<Operation>("shift") },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat(200) }) },
);

/** What the operations give when they are done to a queue, and how long it is after each. */
function run(operations: readonly Operation[]): readonly unknown[] {
  const fifo = createFifo<{ readonly id: number }>();
  const items = operations.map((_, id) => ({ id }));
  return operations.map((what, id) => {
    const item = items[id] ?? { id };
    if (what === "push") fifo.push(item);
    const given = typeof what === "object" ? fifo.remove(items[what.remove] ?? item) : what === "shift" && fifo.shift();
    return [given, fifo.size];
  });
}

/** The same with an array. */
function runPlainly(operations: readonly Operation[]): readonly unknown[] {
  let queued: { readonly id: number }[] = [];
  return operations.map((what, id) => {
    if (what === "push") queued.push({ id });
    if (typeof what !== "object") return [what === "shift" && queued.shift(), queued.length];
    const before = queued.length;
    queued = queued.filter((item) => item.id !== what.remove);
    return [queued.length < before, queued.length];
  });
}

describe("createFifo", () => {
  it("gives what an array would, whatever is pushed, shifted and removed", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200, size: "max" }), (operations) => {
        expect(run(operations)).toEqual(runPlainly(operations));
      }),
    );
  });
});
