import type { LoadProgress } from "../plugin.js";
import type { TimelineSecond } from "../model/measurement.js";
import type { GeneratorProgress } from "./generator.js";
import { mergeSecond } from "./merge-seconds.js";

/** What is asked of generators to follow them. */
export interface FollowedRun {
  /** Asks every generator how far it has come, and what it recorded in `second`, which is over, where it is given. */
  readonly ask: (second?: number) => Promise<readonly GeneratorProgress[]>;
  /** Milliseconds since the common start. */
  readonly elapsedMs: () => number;
  /** Whether the seconds tell users, as those of a ramp do. */
  readonly areUsersTold: boolean;
}

/**
 * Puts together how far all generators of a load have come. Each call asks them; a second is asked for once, when it is over, and
 * told until the next one is. Seconds are told in their order without a gap, also where calls come late.
 */
export function followProgress({ ask, elapsedMs, areUsersTold }: FollowedRun): () => Promise<LoadProgress> {
  let latest: TimelineSecond | undefined;
  return async () => {
    const wanted = (latest?.second ?? -1) + 1;
    const isOver = elapsedMs() >= (wanted + 1) * 1000;
    const answers = isOver ? await ask(wanted) : await ask();
    const parts = answers.map(({ second }) => second);
    // While one of them can still count something in it, it does not stand.
    if (isOver && !parts.includes(undefined) && parts.some((part) => part !== null)) {
      const recorded = parts.flatMap((part) => part ?? []);
      if (wanted > (latest?.second ?? -1)) latest = mergeSecond(wanted, recorded, areUsersTold);
    }
    const total = (value: (answer: GeneratorProgress) => number): number =>
      answers.reduce((sum, answer) => sum + value(answer), 0);
    return {
      sent: total(({ sent }) => sent),
      done: total(({ done }) => done),
      failed: total(({ failed }) => failed),
      elapsedMs: elapsedMs(),
      ...(latest === undefined ? {} : { latest }),
    };
  };
}
