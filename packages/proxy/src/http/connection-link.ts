import type { ResolvedBackend } from "../options/resolve-options.js";
import type { HttpContext } from "./context.js";

/** The base of links that keep their connections themselves. */
export abstract class ConnectionLink<One extends { readonly closed: boolean; readonly remove: () => void }> {
  /** Connections that are open or being made, until they have told that they are closed. */
  protected readonly all = new Set<One>();
  #whenEmpty: (() => void) | undefined;

  constructor(
    readonly context: HttpContext,
    readonly backend: ResolvedBackend,
  ) {}

  /** Whether no connection is open. */
  get isEmpty(): boolean {
    for (const { closed } of this.all) if (!closed) return false;
    return true;
  }

  async close(): Promise<void> {
    for (const connection of this.all) connection.remove();
    if (this.all.size > 0) await new Promise<void>((resolve) => (this.#whenEmpty = resolve));
  }

  /** A connection is closed. */
  protected forget(connection: One): void {
    this.all.delete(connection);
    if (this.all.size === 0) this.#whenEmpty?.();
  }
}
