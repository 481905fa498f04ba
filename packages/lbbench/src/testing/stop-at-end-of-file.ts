import * as vitest from "vitest";

/** Stops something; may be called more than once. */
export type Stop = () => Promise<void>;

/**
 * Calls all of these, the last first, because what stands in front goes before what it stands in front of. One that rejects keeps
 * none of the others; then its error is thrown, or an `AggregateError` of several.
 */
export async function stopAll(stops: readonly Stop[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stop of stops.toReversed()) await stop().catch((error: unknown) => errors.push(error));
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} of ${stops.length} could not be stopped`);
  if (errors.length === 1) throw errors[0];
}

/** What vitest knows of a file whose tests run. */
interface RunningFile {
  readonly result?: { readonly state?: string };
}

type HooksOf = (file: RunningFile) => { readonly afterAll: (() => Promise<void>)[] };

/** What each file has started outside of its tests; by the file that runs, or by its path while its tests are collected. */
const started = new Map<RunningFile | string, Stop[]>();

/**
 * Stops something after all tests of the file at hand: for what is started in `beforeAll`, or while the tests are collected. One
 * that rejects does not keep those of the same file.
 */
export async function stopAtEndOfFile(stop: Stop): Promise<void> {
  // A module is loaded once for several files where they are not isolated.
  const { __vitest_worker__: worker } = globalThis as {
    readonly __vitest_worker__?: { readonly current?: { readonly file?: RunningFile }; readonly filepath?: string };
  };
  const current = worker?.current?.file;
  const file = current?.result?.state === "run" ? current : undefined;
  const key = file ?? worker?.filepath ?? "";
  const stops = started.get(key) ?? [];
  started.set(key, [...stops, stop]);
  if (stops.length > 0 && file !== undefined) return;
  const stopThose = async (): Promise<void> => {
    const those = started.get(key) ?? [];
    started.delete(key);
    await stopAll(those);
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
