const LONGEST_LOAD_MS = 10_000;
const SECOND_MS = 1000;

/**
 * Resolves with what the import of a module of the user's does. Rejects when it takes longer than `longestMs`, 10 s by default:
 * where an `await` at its top level waits for nothing, Node would end without a word.
 */
export async function settleWithin<T>(loading: Promise<T>, longestMs: number = LONGEST_LOAD_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seconds = longestMs / SECOND_MS;
      reject(
        new Error(
          `it was not loaded after ${seconds} s. Does an await at its top level wait for something that never comes? Move it into a function`,
        ),
      );
    }, longestMs);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}
