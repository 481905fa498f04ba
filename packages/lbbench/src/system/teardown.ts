/** Starts an empty list of things to undo, in the reverse of the order in which they were done. */
export function createTeardown() {
  const undos: (() => Promise<void> | void)[] = [];
  return {
    add: (undo: () => Promise<void> | void): void => void undos.push(undo),
    /** Undoes everything added so far, last first, each whatever the others did; throws what went wrong. */
    undo: async (): Promise<void> => {
      const errors: unknown[] = [];
      for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
        try {
          await undo();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length === 1) throw errors[0];
      if (errors.length > 1) throw new AggregateError(errors, "Several things could not be stopped");
    },
  };
}
