/** The program of a thread of the pool: does the work of one request at a time. */
import { workerData } from "node:worker_threads";
import { workOf } from "./handlers.js";
import type { ThreadOptions } from "./start-pool.js";
import type { Answer, Task } from "./work.js";

// It draws nothing here, so that it need not know which thread it is.
const work = workOf((workerData as ThreadOptions).handler);

/** Does the work for one request. */
export function perform(task: Task): Promise<Answer> {
  return new Promise((resolve) => work.perform(task, resolve));
}

/** Resolves when the thread is ready to work. */
export async function getReady(): Promise<void> {}
