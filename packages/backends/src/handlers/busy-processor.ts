import type { ProcessorClock } from "./processor-clock.js";

/**
 * Keeps the processor busy until the clock has gone on by the given processor time, in ms. Processor time and not wall
 * time, so that processes and threads that share a core take longer, as they would with real work.
 */
export function keepProcessorBusy(busyMs: number, usedMicros: ProcessorClock): void {
  const untilMicros = usedMicros() + busyMs * 1000;
  while (usedMicros() < untilMicros) compute();
}

/** Kept where the compiler sees it used, so that the work is not optimized away. */
let sink = 0;

function compute(): void {
  // Some microseconds: short against the smallest cost worth asking for, long against reading the clock.
  for (let i = 0; i < 2000; i++) sink = (Math.imul(sink, 1664525) + 1013904223) | 0;
}
