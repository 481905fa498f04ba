/** What came of an attempt, and whether other programs took so much of the machine that it says little. */
export interface Attempt<T> {
  readonly value: T;
  readonly isDisturbed: boolean;
}

/** Attempts of an undisturbed machine, where a test says nothing else; one of them has to succeed. */
const UNDISTURBED = 3;
/** Attempts in all: a machine that is never left alone ends a test as well. */
const MOST = 12;

/**
 * Attempts what has to do with time until it is as it should be. Attempts that other programs disturbed are made again;
 * of undisturbed ones there are so many at most. Resolves with all values, the last of which is the good one if there is one.
 */
export async function untilKept<T>(
  attempt: () => Promise<Attempt<T>>,
  isKept: (value: T) => boolean,
  most = UNDISTURBED,
): Promise<readonly T[]> {
  const values: T[] = [];
  let undisturbed = 0;
  while (undisturbed < most && values.length < MOST) {
    const { value, isDisturbed } = await attempt();
    values.push(value);
    if (isKept(value)) break;
    if (!isDisturbed) undisturbed += 1;
  }
  return values;
}
