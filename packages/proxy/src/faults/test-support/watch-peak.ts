/** Looks at a number that changes, until it is asked for the highest that it has seen. */
export interface PeakWatch {
  readonly peak: () => Promise<number>;
}

/** Starts to look, every `intervalMs`. */
export function watchPeak(look: () => Promise<number>, intervalMs = 20): PeakWatch {
  let highest = -Infinity;
  let looking = Promise.resolve();
  let failure: unknown;
  const lookOnce = (): void => {
    looking = looking
      .then(look)
      .then((value) => {
        highest = Math.max(highest, value);
      })
      .catch((error: unknown) => {
        failure ??= error;
      });
  };
  const timer = setInterval(lookOnce, intervalMs);
  return {
    peak: async () => {
      clearInterval(timer);
      lookOnce();
      await looking;
      if (failure !== undefined) throw failure;
      return highest;
    },
  };
}
