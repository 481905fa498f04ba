/** What backends do while policies are compared: a row for each scenario. */

/** A scenario: its backends, the load, and what is done to the first backend. */
export interface PolicyScenario {
  /** What the backends do, for help. */
  readonly about: string;
  /** The handler of each backend, where they differ. */
  readonly handlers?: readonly string[];
  /** Requests per second: few enough that no backend is full. */
  readonly rate: number;
  /** A request that is answered ok in so long a time, in ms, is a success. */
  readonly withinMs: number;
  readonly faults: readonly string[];
  /** How often the faults are done again, in ms; once without this. */
  readonly everyMs?: number;
  /** Whether `--slow` may take the place of the faults. */
  readonly takesSlow?: true;
}

export const POLICY_SCENARIOS = {
  "one-slow": {
    about: "one of four backends answers 2 s later for 3 of 6 s",
    rate: 200,
    withinMs: 1000,
    faults: ["slow backend-1 by 2s at 1s", "slow backend-1 by 0 at 4s"],
    takesSlow: true,
  },
  stalls: {
    about: "one of four backends stands still for 1 s, every 10 s",
    rate: 200,
    withinMs: 200,
    faults: ["pause backend-1 at 2s", "resume backend-1 at 3s"],
    everyMs: 10_000,
  },
  mixed: {
    about: "ten backends take 1 ms, 10 ms (four), 100 ms (four) and 1 s",
    handlers: ["1ms", "10ms", "10ms", "10ms", "10ms", "100ms", "100ms", "100ms", "100ms", "1s"].map(
      (time) => `sleep:${time}`,
    ),
    rate: 200,
    withinMs: 200,
    faults: [],
  },
  flapping: {
    about: "one of four backends is dead for 2 of 5 s, again and again",
    rate: 200,
    withinMs: 200,
    faults: ["kill backend-1 at 1s", "start backend-1 at 3s"],
    everyMs: 5000,
  },
  cold: {
    about: "a fourth backend joins after 2 s, and answers 500 ms later for 2 s",
    rate: 200,
    withinMs: 250,
    faults: [
      "drain backend-1 at 0",
      "slow backend-1 by 500ms at 1500ms",
      "restore backend-1 at 2s",
      "slow backend-1 by 0 at 4s",
    ],
  },
} satisfies Readonly<Record<string, PolicyScenario>>;

export type PolicyScenarioName = keyof typeof POLICY_SCENARIOS;

/** The names of the scenarios. */
export const POLICY_SCENARIO_NAMES = Object.keys(POLICY_SCENARIOS) as readonly PolicyScenarioName[];
