import { once } from "node:events";
import type { CommandIo } from "./io.js";

/** Resolves at the first signal that ends a program; a second one exits at once. */
export async function untilInterrupted({ catchInterrupt }: CommandIo): Promise<void> {
  const interrupt = catchInterrupt();
  // Signal listeners do not keep Node alive, but what is waited for here does: a server that listens.
  await once(interrupt.signal, "abort");
}
