import fc from "fast-check";
import { expect, it } from "vitest";
import { createAdmission, type AdmissionOptions } from "./admission.js";
import { OVERLOAD_POLICIES } from "./defaults.js";

/** A job; the number is the order of its arrival. */
interface Job {
  readonly id: number;
}

const options: fc.Arbitrary<AdmissionOptions> = fc
  .record({
    pool: fc.integer({ min: 1, max: 5 }),
    queue: fc.integer({ min: 0, max: 6 }),
    policy: fc.constantFrom(...OVERLOAD_POLICIES),
  })
  .map((given) => (given.policy === "simple" ? { ...given, pool: 1, queue: 0 } : given));

/** An arrival, or something that happens to one of the jobs that have come, picked by a number. */
const events = fc.array(
  fc.record({
    what: fc.constantFrom("arrive", "arrive", "arrive", "finish", "finish", "leave"),
    pick: fc.nat(1000),
  }),
  { maxLength: 150, size: "max" },
);

/** What an admission has made of its jobs, by number in the order of what happened. */
class Ledger {
  readonly jobs: Job[] = [];
  readonly started: number[] = [];
  readonly refused: number[] = [];
  accepted = 0;
  /** Those that were wanted to their end. */
  served = 0;
  readonly inService = new Set<number>();
  readonly left = new Set<number>();
  readonly admission: ReturnType<typeof createAdmission<Job>>;

  constructor(given: AdmissionOptions) {
    this.admission = createAdmission<Job>(given, {
      accept: () => (this.accepted += 1),
      refuse: ({ id }) => this.refused.push(id),
      start: ({ id }) => {
        if (this.left.has(id)) throw new Error(`${id} is not wanted any more, and is started`);
        this.started.push(id);
        this.inService.add(id);
      },
    });
  }

  arrive(): void {
    const job = { id: this.jobs.length };
    this.jobs.push(job);
    this.admission.arrive(job);
  }

  finish(id: number): void {
    this.admission.finish(this.jobs[id] ?? { id });
    this.inService.delete(id);
    if (!this.left.has(id)) this.served += 1;
  }

  leave(id: number): void {
    this.left.add(id);
    this.admission.leave(this.jobs[id] ?? { id });
  }
}

it("whatever happens, accounts for every job, leaves no thread idle, and serves in the order of arrival", () => {
  fc.assert(
    fc.property(options, events, ({ pool, queue, policy }, happenings) => {
      const ledger = new Ledger({ pool, queue, policy });
      const refuses = policy.startsWith("drop");
      let longest = 0;
      for (const { what, pick } of happenings) {
        const { waiting: waited } = ledger.admission.counts();
        const [last, refusedBefore] = [ledger.started.at(-1) ?? -1, ledger.refused.length];
        // Any job may be left, also one that is over; only one in service can finish.
        const candidates = [...(what === "finish" ? ledger.inService : ledger.jobs.keys())];
        const id = candidates[pick % candidates.length];
        if (what === "arrive") ledger.arrive();
        else if (id !== undefined) ledger[what](id);
        const now = ledger.admission.counts();
        longest = Math.max(longest, now.waiting);
        const victim = ledger.refused.length > refusedBefore ? ledger.refused.at(-1) : undefined;
        const rules = {
          conserved: now.accepted === now.served + now.refused + now.abandoned + now.waiting + now.inService,
          counted: now.accepted === ledger.accepted && now.refused === ledger.refused.length,
          served: now.served === ledger.served && now.inService === ledger.inService.size,
          longest: now.longestQueue === longest,
          withinBounds: now.inService <= pool && now.waiting <= queue,
          noThreadIdle: now.waiting === 0 || now.inService === pool,
          noPlaceFree: now.outside === 0 || (now.waiting === queue && now.inService === pool),
          inOrder: (ledger.started.at(-1) ?? -1) >= last,
          noneOutside: !refuses || now.outside === 0,
          // Of those that are there, drop-head takes the one that has waited longest, drop-tail the newcomer.
          refusedRightly:
            victim === undefined ||
            (what === "arrive" &&
              refuses &&
              waited === queue &&
              victim < ledger.jobs.length - 1 === (policy === "drop-head" && queue > 0)),
        };
        const broken = Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
        expect(broken, `${policy}, after ${what}`).toEqual([]);
      }
    }),
  );
});

it.each([
  ["block", { pool: 8, queue: 0 }, [0, 0]],
  ["drop-tail", { pool: 8, queue: 100 }, [108, 20_000]],
  ["drop-head", { pool: 8, queue: 100 }, [8, 19_900]],
] as const)("refuses of a large burst exactly what %s says", (policy, room, [from, to]) => {
  const ledger = new Ledger({ ...room, policy });
  const all = Array.from({ length: 20_000 }, (_, id) => id);
  for (const _ of all) ledger.arrive();
  for (let served = 0; served < ledger.started.length; served++) ledger.finish(ledger.started[served] ?? -1);
  expect(ledger.refused).toEqual(all.slice(from, to));
  expect(ledger.started).toEqual(all.toSpliced(from, to - from));
  expect(ledger.admission.counts()).toMatchObject({ accepted: 20_000, outside: 0, waiting: 0, inService: 0 });
});

it("does not finish what is not in service", () => {
  const ledger = new Ledger({ pool: 1, queue: 1, policy: "drop-tail" });
  ledger.arrive();
  ledger.arrive();
  expect(() => ledger.finish(1)).toThrow("expected a job in service");
});
