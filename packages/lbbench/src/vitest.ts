/**
 * For vitest: importing this adds the matchers to its `expect`, with their types. `startServer` and `startBalancer` are those of
 * `lbbench/testing`, and what they start is stopped without being asked to.
 */
// Stays in the declarations, where the module that is augmented has to be imported.
import "vitest";
import { expect, onTestFinished } from "vitest";
import { matchers, type AsymmetricResultMatchers, type ResultMatchers } from "./matchers/matchers.js";
import {
  startBalancer as startAnyBalancer,
  type BalancedBackend,
  type BalancerSettings,
  type StartedBalancer,
  startServer as startAnyServer,
  type Startable,
  type StartedServer,
  type StartSettings,
} from "./testing/start-server.js";
import { stopAtEndOfFile } from "./testing/stop-at-end-of-file.js";

export type { AsymmetricResultMatchers, ResultMatchers } from "./matchers/matchers.js";
export type { Baseline, Measured, Part } from "./matchers/asked.js";
export type { NoSlowerOptions } from "./matchers/judge-no-slower.js";
export type {
  BalancedBackend,
  BalancerSettings,
  StartedBalancer,
  ServerTarget,
  Startable,
  StartedServer,
  StartSettings,
} from "./testing/start-server.js";

declare module "vitest" {
  interface Assertion<T> extends ResultMatchers<T> {}
  interface AsymmetricMatchersContaining extends AsymmetricResultMatchers {}
}

expect.extend(matchers);

/**
 * Starts a server as `startServer` of `lbbench/testing` does. One that is started in a test, or in `beforeEach`, is stopped when the
 * test has ended; any other, as one of `beforeAll`, after all tests of the file.
 */
export async function startServer(
  startable: Startable,
  options?: Readonly<Record<string, unknown>>,
  settings?: StartSettings,
): Promise<StartedServer> {
  return stopInTime(() => startAnyServer(startable, options, settings));
}

/** Starts a balancer as `startBalancer` of `lbbench/testing` does, and stops it as {@link startServer} does. */
export async function startBalancer(
  backends: readonly BalancedBackend[],
  settings?: BalancerSettings,
): Promise<StartedBalancer> {
  return stopInTime(() => startAnyBalancer(backends, settings));
}

/** Asks for the end of the test before anything is waited for: later it might be that of another test. */
async function stopInTime<T extends StartedServer>(start: () => Promise<T>): Promise<T> {
  const starting = start();
  // The caller hears of a start that failed.
  const stop = (): Promise<void> =>
    starting.then(
      (started) => started.stop(),
      () => {},
    );
  if (!atEndOfTest(stop)) await stopAtEndOfFile(stop);
  return starting;
}

function atEndOfTest(stop: () => Promise<void>): boolean {
  try {
    onTestFinished(stop);
    return true;
  } catch {
    // There is no test under way: a hook of all tests, or the collection of the file.
    return false;
  }
}
