import { createBackoff } from "../backoff.js";
import type { LoadRun, LoadUser } from "../load-run.js";
import { createRequester, type RequesterPlan } from "./requester.js";

/** Makes a user of a closed loop, and enters it; returns what closes its connection. */
export function enterUser(run: LoadRun, plan: RequesterPlan): { readonly close: () => Promise<void> } {
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
  const requester = createRequester(run, plan, (connected) => {
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
  run.enter(user);
  return { close: requester.close };
}
