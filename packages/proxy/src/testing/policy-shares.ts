import { ok } from "node:assert/strict";
import type { Picker } from "../policies/policy.js";
import { examplePool, exampleRequest, type ExampleBackend } from "./example-pool.js";
import type { PolicyCheck, PolicyPromises } from "./policy-check.js";

const PICKS = 10_000;

/** Tests of the shares that a policy promises; none when it promises none. */
export function shareChecks(createPicker: () => Picker, promises: PolicyPromises): readonly PolicyCheck[] {
  const { shares, tolerance = 0 } = promises;
  if (shares === undefined) return [];
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
  return [
    {
      name: `gives backends of one weight equal shares of ${PICKS} requests`,
      run: () => expectShares(createPicker(), examplePool([1, 1, 1, 1])),
    },
    {
      name: `gives ${described} of ${PICKS} requests to backends of different weights`,
      run: () => expectShares(createPicker(), examplePool([1, 2, 3, 4])),
    },
    {
      name: `gives ${described} to those that are left while a backend is not available, and to all when it is back`,
      run: () => {
        const picker = createPicker();
        const pool = examplePool([1, 2, 3, 4]);
        for (const available of [true, false, true]) {
          for (const backend of pool.slice(1, 2)) backend.available = available;
          expectShares(picker, pool);
        }
      },
    },
  ];
}

function countPicks(picker: Picker, pool: readonly ExampleBackend[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index < PICKS; index++) {
    const name = picker.pick(pool, exampleRequest(index))?.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
