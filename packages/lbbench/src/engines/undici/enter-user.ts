import { createBackoff } from "../backoff.js";
import type { LoadRun, LoadUser } from "../load-run.js";
import type { CreateRequester } from "./choose-requesters.js";

/**
 * Makes a user of a closed loop, and enters it; returns what closes its connection.
 *
 * @param startUs when it starts, in microseconds from the common start.
 */
export function enterUser(
  run: LoadRun,
  createRequester: CreateRequester,
  startUs: number,
): { readonly close: () => Promise<void> } {
  const backoff = createBackoff();
  let first = true;
  let waiting: NodeJS.Timeout | undefined;
  const next = (): void => {
    if (!run.take(first)) {
      run.leave(user);
      // Undici is still busy with the answer.
      queueMicrotask(() => void requester.close());
      return;
    }
    first = false;
    requester.send();
  };
  const requester = createRequester((connected) => {
    if (connected) {
      backoff.reset();
      next();
    } else {
      waiting = setTimeout(next, backoff.nextMs());
    }
  });
  const user: LoadUser = {
    start: next,
    cut: () => {
      clearTimeout(waiting);
      return requester.cut();
    },
  };
  run.enter(user, startUs);
  return { close: requester.close };
}
