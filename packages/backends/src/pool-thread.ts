/** The program of a thread of the pool: does the work of one request at a time. */
import { workerData } from "node:worker_threads";
import { workOf, type HandlerSpec } from "./handlers.js";
import type { Answer, Task } from "./work.js";

// It draws nothing here, so that it need not know which thread it is.
const work = workOf(workerData as HandlerSpec);

/** Does the work for one request; without one, tells that the thread is ready. */
export async function perform(task?: Task): Promise<Answer | undefined> {
  return task === undefined ? undefined : new Promise((resolve) => work.perform(task, resolve));
}
