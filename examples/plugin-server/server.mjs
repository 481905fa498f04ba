import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const APP = fileURLToPath(new URL("app.mjs", import.meta.url));

/** What may be written under "options" in a config file. */
const options = z.strictObject({
  /** How long the answer to a request takes. */
  delayMs: z.int().min(0).default(0),
});

/**
 * A server plugin: starts app.mjs in a process of its own, and stops it.
 *
 * @type {import("lbbench/plugin").Server<import("zod").infer<typeof options>>}
 */
const server = {
  name: "app",
  options,
  start: async ({ delayMs }, { signal, env, name = "app" }) => {
    signal.throwIfAborted();
    const child = fork(APP, [String(delayMs)], { env: { ...process.env, ...env } });
    const exit = once(child, "exit");
    let stopping = false;
    const stop = async () => {
      stopping = true;
      child.kill("SIGKILL");
      await exit;
    };
    try {
      const [{ port }] = await Promise.race([once(child, "message", { signal }), exit.then(failToStart)]);
      return {
        url: `http://127.0.0.1:${port}`,
        processes: [{ pid: /** @type {number} */ (child.pid), role: "backend", name, tree: false }],
        // Stays pending when the process was stopped on purpose.
        died: new Promise((resolve) => {
          void exit.then(([code, death]) => stopping || resolve(`${name} ended with ${death ?? `code ${code}`}`));
        }),
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};

export default server;

/** @returns {never} */
function failToStart() {
  throw new Error("app.mjs ended before it listened; what it printed is above");
}
