import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const USERS = fileURLToPath(new URL("users.mjs", import.meta.url));

/**
 * An engine: sends by Node's own HTTP client, from a process of its own, so that nothing else disturbs it.
 *
 * @type {import("lbbench/plugin").Engine}
 */
const engine = {
  name: "node-http",
  // Whatever is not listed here is refused before any load is sent.
  supports: {
    protocols: ["http"],
    loads: ["connections"],
    amounts: ["requests", "duration"],
    keepAliveOff: false,
    expectations: false,
    generators: false,
    // Node's HTTP client takes a reset in the middle of an answer for the end of the connection.
    resets: false,
    tlsVerification: false,
  },
  run: async (load, { signal, onStart, onProgress }) => {
    const child = fork(USERS);
    const exit = once(child, "exit");
    const pid = /** @type {number} */ (child.pid);
    const stop = () => child.connected && child.send("stop");
    try {
      await onStart?.([{ pid, name: "users" }]);
      const finished = new Promise((resolve, reject) => {
        child.on("message", (/** @type {{ progress?: any, done?: any }} */ { progress, done }) => {
          if (done === undefined) onProgress?.(progress);
          else resolve(done);
        });
        void exit.then(([code, death]) => reject(new Error(`users.mjs ended with ${death ?? `code ${code}`}`)));
      });
      child.send(load);
      signal.addEventListener("abort", stop);
      if (signal.aborted) stop();
      const { connections, cpu, rssBytes, ...seen } = await finished;
      const { ok, sent, connectErrors } = seen.requests;
      return {
        measurement: {
          ...seen,
          connections: { asked: load.level.connections ?? 1, ...connections },
          throughput: (ok / seen.elapsedMs) * 1000,
          timeline: [],
        },
        generators: [{ pid, name: "users", cpu, rssBytes }],
        targetGone: sent > 0 && connectErrors === sent,
      };
    } finally {
      signal.removeEventListener("abort", stop);
      child.kill("SIGKILL");
      await exit;
    }
  },
};

export default engine;
