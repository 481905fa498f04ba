/**
 * For jest: importing this adds the matchers to its `expect`, with their types, of `@types/jest` and of `@jest/globals` alike. jest
 * has to run with `NODE_OPTIONS=--experimental-vm-modules`, because lbbench is made of ES modules.
 */
// The types alone: jest brings the module, and a copy of it would be another one.
import type {} from "expect";
import { matchers, type AsymmetricResultMatchers, type ResultMatchers } from "./matchers/matchers.js";

export type { AsymmetricResultMatchers, ResultMatchers } from "./matchers/matchers.js";

declare module "expect" {
  interface Matchers<R extends void | Promise<void>, T> extends ResultMatchers<T, R> {}
  interface AsymmetricMatchers extends AsymmetricResultMatchers {}
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- that is how @types/jest names it
  namespace jest {
    interface Matchers<R, T> extends ResultMatchers<T, R> {}
  }
}

const { expect } = globalThis as {
  readonly expect?: { readonly extend?: (added: Readonly<Record<string, unknown>>) => void };
};
if (expect?.extend === undefined) {
  throw new Error(
    "Expected to be imported by a test that jest runs, with its global expect; there is none. Without it, as with injectGlobals " +
      'turned off: import { expect } from "@jest/globals", { matchers } from "lbbench/assert", and call expect.extend(matchers).',
  );
}
expect.extend(matchers);
