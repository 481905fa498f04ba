import * as vitest from "vitest";
import { createTeardown } from "../system/teardown.js";

/** What vitest knows of a file whose tests run. */
interface RunningFile {
  readonly result?: { readonly state?: string };
}

type HooksOf = (file: RunningFile) => { readonly afterAll: (() => Promise<void>)[] };

/** What each file has started outside of its tests; by the file that runs, or by its path while its tests are collected. */
const started = new Map<RunningFile | string, ReturnType<typeof createTeardown>>();

/**
 * Stops something after all tests of the file at hand, the last first: for what is started in `beforeAll`, or while the tests are
 * collected. One that rejects does not keep the others of the same file.
 */
export async function stopAtEndOfFile(stop: () => Promise<void>): Promise<void> {
  // A module is loaded once for several files where they are not isolated.
  const { __vitest_worker__: worker } = globalThis as {
    readonly __vitest_worker__?: { readonly current?: { readonly file?: RunningFile }; readonly filepath?: string };
  };
  const current = worker?.current?.file;
  const file = current?.result?.state === "run" ? current : undefined;
  const key = file ?? worker?.filepath ?? "";
  const known = started.get(key);
  const teardown = known ?? createTeardown();
  teardown.add(stop);
  started.set(key, teardown);
  if (known !== undefined && file !== undefined) return;
  const stopThose = async (): Promise<void> => {
    started.delete(key);
    await teardown.undo();
  };
  // When hooks of all tests run it is too late for `afterAll`: the file has its hooks already. First of all is last to run.
  if (file === undefined) vitest.afterAll(stopThose);
  else (await findHooksOf())(file).afterAll.unshift(stopThose);
}

/** From 4.1 on `vitest` has it, before that `vitest/suite`. */
async function findHooksOf(): Promise<HooksOf> {
  const { TestRunner } = vitest as { readonly TestRunner?: { readonly getSuiteHooks?: unknown } };
  return (TestRunner?.getSuiteHooks ?? (await import("vitest/suite")).getHooks) as HooksOf;
}
