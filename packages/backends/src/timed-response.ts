import { ServerResponse } from "node:http";

/** An answer that says in `Server-Timing` how long it took, in ms: `app`, from its request's head having come to its own being written. */
export class TimedResponse extends ServerResponse {
  readonly #cameMs = performance.now();
  /** How long the request waited in a queue, which is then said, too. */
  queuedMs: number | undefined;

  override writeHead(...head: unknown[]): this {
    const queue = this.queuedMs === undefined ? "" : `, queue;dur=${this.queuedMs.toFixed(3)}`;
    this.setHeader("Server-Timing", `app;dur=${(performance.now() - this.#cameMs).toFixed(3)}${queue}`);
    return super.writeHead(...(head as Parameters<ServerResponse["writeHead"]>));
  }
}
