/** What a request waited for at the balancer, as its answer says in `Server-Timing` (W3C). Used for one request after the other. */
export class RequestTimes {
  #beganMs = 0;
  /** When the wait that is under way began; `undefined` without one. */
  #sinceMs: number | undefined;
  #queueMs = 0;
  #connectMs = 0;

  /** The head of a request has come. */
  begin(nowMs: number): void {
    this.#beganMs = nowMs;
    this.#sinceMs = undefined;
    this.#queueMs = 0;
    this.#connectMs = 0;
  }

  /** It waits from now on. */
  wait(): void {
    this.#sinceMs = performance.now();
  }

  /** It has a slot, or its place in the queue is gone. */
  endQueue(): void {
    this.#queueMs += this.#waitedMs();
  }

  /** It has a connection. */
  endConnect(): void {
    this.#connectMs += this.#waitedMs();
  }

  #waitedMs(): number {
    const sinceMs = this.#sinceMs;
    this.#sinceMs = undefined;
    return sinceMs === undefined ? 0 : performance.now() - sinceMs;
  }

  /** The value of the header, as of now; times in ms. What it did not wait for is left out. */
  value(): string {
    const waits = [
      ["lb-queue", this.#queueMs],
      ["lb-connect", this.#connectMs],
    ] as const;
    const entries = waits.filter(([, ms]) => ms > 0).map(([name, ms]) => `${name};dur=${ms.toFixed(3)}, `);
    return `${entries.join("")}lb;dur=${(performance.now() - this.#beganMs).toFixed(3)}`;
  }
}
