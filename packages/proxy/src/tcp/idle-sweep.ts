/** Something that can be idle. */
export interface Sweepable {
  /** Is told what time it is; ends itself if nothing has happened for too long. */
  readonly sweep: (nowMs: number) => void;
}

/** How often everything is looked at, at the least often; shorter times are kept four times as exactly as they are long. */
const LONGEST_INTERVAL_MS = 1000;

/**
 * Looks at everything in it again and again, with one timer that there is only while there is something to look at, and
 * that keeps no process alive. What has been idle for `idleMs` is found a quarter of that later at most, or a second.
 */
export class IdleSweep {
  readonly idleMs: number;
  readonly #members = new Set<Sweepable>();
  #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number) {
    this.idleMs = idleMs;
  }

  add(member: Sweepable): void {
    this.#members.add(member);
    if (this.#timer !== undefined || this.idleMs === Infinity) return;
    const intervalMs = Math.min(Math.ceil(this.idleMs / 4), LONGEST_INTERVAL_MS);
    this.#timer = setInterval(() => this.#sweep(), intervalMs).unref();
  }

  delete(member: Sweepable): void {
    this.#members.delete(member);
    if (this.#members.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const member of this.#members) member.sweep(nowMs);
  }
}
