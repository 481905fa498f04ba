import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { builtEntry } from "../system/fork.js";

const TICKER = pathToFileURL(builtEntry(import.meta.url, "./ticker.js")).href;

function thread(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

it("ends the process with the error of its thread, also of one that had begun well", async () => {
  const failing = `import { parentPort } from "node:worker_threads";
    parentPort.once("message", () => { throw new Error("The clock has stopped"); });
    parentPort.postMessage(0);`;
  const script = `import { Worker } from "node:worker_threads";
    import { startTicker } from ${JSON.stringify(TICKER)};
    let thread;
    const ready = startTicker(new URL(${JSON.stringify(thread(failing))}));
    process.once("worker", (worker) => { thread = worker; });
    await ready;
    setInterval(() => {}, 1000);
    thread.postMessage(0);`;
  const ending = promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
  await expect(ending).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("The clock has stopped") });
});
