/** Of one kind of trouble the operator is told once in so long. */
const SILENCE_MS = 1000;

/** Tells the operator of trouble; `kind` is what is told at most once a second. */
export type Warn = (kind: string, text: string) => void;

/**
 * Warnings of this process, which Node prints to the standard error (`process.on("warning")` has them as well). What is kept
 * back is counted, and told with the next one of its kind.
 */
export function createWarnings(): Warn {
  const kinds = new Map<string, { saidMs: number; unsaid: number }>();
  return (kind, text) => {
    const now = performance.now();
    const last = kinds.get(kind);
    if (last !== undefined && now - last.saidMs < SILENCE_MS) {
      last.unsaid += 1;
      return;
    }
    const more = last === undefined || last.unsaid === 0 ? "" : ` (and ${last.unsaid} times since the last warning)`;
    kinds.set(kind, { saidMs: now, unsaid: 0 });
    process.emitWarning(`${text}${more}`, "BalancerWarning");
  };
}
