const SECOND_MS = 1000;

/** Seconds that are at least as long. */
export function secondsAtLeast(ms: number): number {
  return Math.max(1, Math.ceil(ms / SECOND_MS));
}

/** Says, in words for a user, why a time cannot be had that is not a whole number of seconds; `undefined` when it can. */
export function refuseFractions(program: string, what: string, flag: string, ms: number): string | undefined {
  if (ms > 0 && ms % SECOND_MS === 0) return undefined;
  const [down, up] = [Math.floor(ms / SECOND_MS), Math.floor(ms / SECOND_MS) + 1];
  const near = down > 0 ? `${down}s or ${up}s` : `${up}s`;
  return `${program} knows ${what} in whole seconds only: expected ${flag} ${near}, got ${ms} ms`;
}
