/** Things to undo, in the reverse of the order in which they were done. */
export interface Teardown {
  readonly add: (undo: () => Promise<void> | void) => void;
  /** Undoes everything added so far, last first, each whatever the others did; throws what went wrong. */
  readonly run: () => Promise<void>;
}

/** Starts an empty list of things to undo. */
export function createTeardown(): Teardown {
  const undos: (() => Promise<void> | void)[] = [];
  return {
    add: (undo) => {
      undos.push(undo);
    },
    run: async () => {
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
