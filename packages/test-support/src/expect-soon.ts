import { expect } from "vitest";

/** Expects of a value that it will be so; it is looked at every few milliseconds, and never asked how long that took. */
export function expectSoon<Value>(look: () => Value) {
  return expect.poll(look, { interval: 4, timeout: 60_000 });
}
