import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import type { ChildExit } from "./child-died-error.js";
import type { OutputTail } from "./output-tail.js";

const LAST_WORDS_MS = 100;

/**
 * Resolves with how a process ended and the last lines it printed; never rejects. Call it in the turn in which the
 * process was started; one that could not be started has neither code nor signal.
 *
 * Not by the event `close`: a process whose channel was closed from this side never emits it.
 */
export async function waitForExit(child: ChildProcess, output: OutputTail): Promise<ChildExit> {
  if (child.pid === undefined) {
    await once(child, "error").catch(() => {});
    return { code: null, signal: null, output: output.lines() };
  }
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("exit", (...how) => resolve(how));
  });
  // Its last words may still be in the pipe; a process of its own that holds the pipe open is not waited for.
  const limit = new AbortController();
  await Promise.race([
    Promise.all([child.stdout, child.stderr].map(ended)),
    setTimeout(LAST_WORDS_MS, undefined, { ref: false, signal: limit.signal }).catch(() => {}),
  ]);
  limit.abort();
  return { code, signal, output: output.lines() };
}

async function ended(stream: Readable | null): Promise<void> {
  if (stream !== null) await finished(stream).catch(() => {});
}
