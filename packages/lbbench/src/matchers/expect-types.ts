import type { Baseline } from "./find-baseline.js";
import type { NoSlowerOptions } from "./judge-no-slower.js";
import type { Measured } from "./measured.js";
import type { Part } from "./part.js";

/** What the matchers take as asserted: a result, also one that `.resolves` waits for. */
type Asserted = Measured | PromiseLike<Measured>;

/** The matchers as `expect(subject)` has them; of a subject that is no result they are `never`, which cannot be called. */
export interface ResultMatchers<Subject, Outcome = void> {
  /**
   * Passes where thresholds hold in every step: `"p99<50ms"`, `"errors<1%"`, `"throughput>1000"`, one or several. `part` asks
   * about some targets or levels alone.
   */
  toMeet: Subject extends Asserted ? (thresholds: string | readonly string[], part?: Part) => Outcome : never;
  /** Passes where every request was answered as expected. */
  toHaveNoFailures: Subject extends Asserted ? (part?: Part) => Outcome : never;
  /**
   * Passes where the result is known to be no worse than a baseline by more than a margin: another target of the same run by its
   * name, another result, or the path of one.
   */
  toBeNoSlowerThan: Subject extends Asserted ? (baseline: Baseline, options?: NoSlowerOptions) => Outcome : never;
  /** Passes where the verdict of the run is `pass`. */
  toPass: Subject extends Asserted ? () => Outcome : never;
}

/** The matchers inside of `toEqual` and its like: `expect.toMeet("errors<1%")`. */
export type AsymmetricResultMatchers = ResultMatchers<Measured, unknown>;
