import { inspect } from "node:util";
import { createBirpc } from "birpc";

const SHUTDOWN_LIMIT_MS = 4000;

/**
 * The child's side of `forkChild`: offers functions to the parent and ends with it.
 *
 * The process ends when the parent disconnects or dies, or on SIGTERM or SIGHUP, after `shutdown` had four seconds to
 * clean up. SIGINT is ignored: a terminal sends it to the whole group, and what it means is for the parent to say.
 */
export function serveChild(functions: object, shutdown: () => Promise<void> | void = () => {}): void {
  // The parent was gone before this module was loaded, and with it the event that tells so.
  if (!process.connected) process.exit(0);
  let ending = false;
  const end = (code: number): void => {
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(code), SHUTDOWN_LIMIT_MS).unref();
    void Promise.resolve()
      .then(shutdown)
      .catch((error: unknown) => {
        process.stderr.write(`${inspect(error)}\n`);
      })
      .then(() => process.exit(code));
  };
  // When the parent was killed nobody reads this, and each failure to write would be another one to tell of.
  process.stderr.on("error", () => {});
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => end(143));
  process.on("SIGHUP", () => end(129));
  process.on("disconnect", () => end(0));
  process.on("uncaughtException", (error) => {
    process.stderr.write(`${inspect(error)}\n`);
    end(1);
  });
  createBirpc(functions, {
    post: (data: object) => void (process.connected && process.send?.(data, undefined, undefined, () => {})),
    on: (receive) => void process.on("message", receive),
    timeout: -1,
  });
}
