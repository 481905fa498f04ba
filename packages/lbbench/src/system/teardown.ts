import { messageOf } from "./program.js";

/** Starts an empty list of actions to undo, which are undone in reverse order. */
export function createTeardown() {
  const undos: (() => Promise<void> | void)[] = [];
  return {
    add: (undo: () => Promise<void> | void): void => void undos.push(undo),
    /** Undoes everything added so far, last first. One that fails does not stop the others; throws the errors at the end. */
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
      if (errors.length === 0) return;
      const why = errors.map((error) => messageOf(error)).join("; ");
      throw new AggregateError(errors, `several things could not be stopped: ${why}`);
    },
  };
}
