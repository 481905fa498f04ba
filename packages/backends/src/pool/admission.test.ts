import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAdmission, type Admission, type AdmissionOptions, type Decision } from "./admission.js";
import { OVERLOAD_POLICIES } from "./overload-policy.js";

/** A job; the number is the order of its arrival. */
interface Job {
  readonly id: number;
}

/** An arrival, or something that happens to one of the jobs that have come, picked by a number. */
type Event = { readonly what: "arrive" | "finish" | "leave"; readonly pick: number };

const options: fc.Arbitrary<AdmissionOptions> = fc
  .record({
    pool: fc.integer({ min: 1, max: 5 }),
    queue: fc.integer({ min: 0, max: 6 }),
    policy: fc.constantFrom(...OVERLOAD_POLICIES),
  })
  .map((given) => (given.policy === "simple" ? { ...given, pool: 1, queue: 0 } : given));

const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 4, arbitrary: fc.constant("arrive" as const) },
      { weight: 3, arbitrary: fc.constant("finish" as const) },
      { weight: 1, arbitrary: fc.constant("leave" as const) },
    ),
    pick: fc.nat(1000),
  }),
  { maxLength: 150, size: "max" },
);

/** What became of each job, in the words of a list that is looked through from its start each time. */
type State = "outside" | "waiting" | "inService" | "unwanted" | "served" | "refused" | "abandoned" | "leftOutside";

/** The rules of the policies once more, written down as plainly as can be. */
class Model {
  readonly states: State[] = [];
  readonly started: number[] = [];

  constructor(private readonly options: AdmissionOptions) {}

  all(...states: readonly State[]): readonly number[] {
    return this.states.flatMap((state, id) => (states.includes(state) ? [id] : []));
  }

  /** What can be seen of it from outside, as one line. */
  describe(): string {
    const counted = (...states: readonly State[]): number => this.all(...states).length;
    return JSON.stringify({
      accepted: this.all("waiting", "inService", "unwanted", "served", "refused", "abandoned"),
      refused: this.all("refused"),
      started: this.started,
      counts: {
        served: counted("served"),
        refused: counted("refused"),
        abandoned: counted("abandoned"),
        waiting: counted("waiting"),
        inService: counted("inService", "unwanted"),
        outside: counted("outside"),
      },
    });
  }

  arrive(id: number): void {
    const { pool, queue, policy } = this.options;
    const waiting = this.all("waiting");
    if (this.all("inService", "unwanted").length < pool) this.start(id);
    else if (waiting.length < queue) this.states[id] = "waiting";
    else if (policy === "block" || policy === "simple") this.states[id] = "outside";
    else if (policy === "drop-tail" || queue === 0) this.states[id] = "refused";
    else {
      this.states[waiting[0] ?? -1] = "refused";
      this.states[id] = "waiting";
    }
  }

  finish(id: number): void {
    this.states[id] = this.states[id] === "unwanted" ? "abandoned" : "served";
    this.moveUp();
  }

  leave(id: number): void {
    if (this.states[id] === "inService") this.states[id] = "unwanted";
    if (this.states[id] === "waiting") this.states[id] = "abandoned";
    if (this.states[id] === "outside") this.states[id] = "leftOutside";
    this.moveUp();
  }

  private start(id: number): void {
    this.states[id] = "inService";
    this.started.push(id);
  }

  private moveUp(): void {
    const { pool, queue } = this.options;
    for (const id of this.all("waiting", "outside")) {
      if (this.all("inService", "unwanted").length < pool) this.start(id);
      else if (this.states[id] === "outside" && this.all("waiting").length < queue) this.states[id] = "waiting";
    }
  }
}

/** What the decisions of an admission have made of its jobs, by number. */
class Ledger {
  readonly accepted: number[] = [];
  readonly started: number[] = [];
  readonly refused: number[] = [];
  readonly admission: Admission<Job>;
  private readonly jobs: Job[] = [];

  constructor(options: AdmissionOptions) {
    this.admission = createAdmission<Job>(options);
  }

  arrive(id: number): void {
    this.jobs[id] = { id };
    this.write(this.admission.arrive(this.jobs[id]));
  }

  finish(id: number): void {
    this.write(this.admission.finish(this.jobs[id] ?? { id }));
  }

  leave(id: number): void {
    this.write(this.admission.leave(this.jobs[id] ?? { id }));
  }

  /** As the model describes itself. */
  describe(): string {
    const { served, refused, abandoned, waiting, inService, outside } = this.admission.counts();
    return JSON.stringify({
      accepted: this.accepted,
      refused: this.refused,
      started: this.started,
      counts: { served, refused, abandoned, waiting, inService, outside },
    });
  }

  private write({ accept, start, refuse }: Decision<Job>): void {
    if (accept !== undefined) this.accepted.push(accept.id);
    if (start !== undefined) this.started.push(start.id);
    if (refuse !== undefined) this.refused.push(refuse.id);
  }
}

/** Lets the same happen to an admission and to the model; `check` is called after each event. */
function replay(
  given: AdmissionOptions,
  happenings: readonly Event[],
  check: (ledger: Ledger, model: Model) => void,
): void {
  const model = new Model(given);
  const ledger = new Ledger(given);
  for (const { what, pick } of happenings) {
    // Any job may be left, also one that is over; only one in service can finish.
    const candidates = what === "finish" ? model.all("inService", "unwanted") : [...model.states.keys()];
    const id = what === "arrive" ? model.states.length : candidates[pick % candidates.length];
    if (id === undefined) continue;
    model[what](id);
    ledger[what](id);
    check(ledger, model);
  }
}

it("whatever happens, does to every job what the plain rules say, accounts for each, and leaves no thread idle", () => {
  fc.assert(
    fc.property(options, events, (given, happenings) => {
      let longest = 0;
      replay(given, happenings, (ledger, model) => {
        expect(ledger.describe()).toBe(model.describe());
        const { accepted, served, refused, abandoned, ...now } = ledger.admission.counts();
        longest = Math.max(longest, now.waiting);
        expect(accepted).toBe(served + refused + abandoned + now.waiting + now.inService);
        expect(now.longestQueue).toBe(longest);
        expect(now.inService <= given.pool && now.waiting <= given.queue).toBe(true);
        expect(now.waiting === 0 || now.inService === given.pool).toBe(true);
        expect(now.outside === 0 || now.waiting === given.queue).toBe(true);
      });
    }),
  );
});

describe("createAdmission, under a burst", () => {
  const BURST = 20_000;

  /** A burst of arrivals while nobody finishes; then all that can be served is served. */
  function burst(given: AdmissionOptions): Ledger {
    const ledger = new Ledger(given);
    for (let id = 0; id < BURST; id++) ledger.arrive(id);
    for (let served = 0; served < ledger.started.length; served++) ledger.finish(ledger.started[served] ?? -1);
    return ledger;
  }

  const first = (count: number): number[] => Array.from({ length: count }, (_, id) => id);
  const from = (start: number, end = BURST): number[] => first(BURST).slice(start, end);

  it("serves all in order under block", () => {
    const { admission, started, refused } = burst({ pool: 8, queue: 0, policy: "block" });
    expect([started, refused]).toEqual([first(BURST), []]);
    expect(admission.counts()).toMatchObject({ accepted: BURST, served: BURST, outside: 0, waiting: 0, inService: 0 });
  });

  it("serves those in service and the last under drop-head", () => {
    const { admission, started, refused } = burst({ pool: 8, queue: 100, policy: "drop-head" });
    expect(started).toEqual([...first(8), ...from(BURST - 100)]);
    expect(refused).toEqual(from(8, BURST - 100));
    expect(admission.counts()).toMatchObject({ accepted: BURST, served: 108, refused: BURST - 108, longestQueue: 100 });
  });
});

it("does not finish what is not in service", () => {
  const ledger = new Ledger({ pool: 1, queue: 1, policy: "drop-tail" });
  ledger.arrive(0);
  ledger.arrive(1);
  expect(() => ledger.finish(1)).toThrow("expected a job in service");
});
