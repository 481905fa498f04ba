/** How a child process ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines it printed. */
  readonly output: readonly string[];
}

/** Says how a child process ended: `exit code 1`, `signal SIGKILL`. */
export function describeExit(exit: ChildExit): string {
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return exit.output.length === 0 ? how : `${how}; it last printed:\n  ${exit.output.join("\n  ")}`;
}

/** A child process ended while it was still needed. */
export class ChildDiedError extends Error {
  override readonly name = "ChildDiedError";
  readonly code = "CHILD_DIED";

  constructor(
    readonly child: string,
    readonly exit: ChildExit,
  ) {
    super(`The process "${child}" ended unexpectedly with ${describeExit(exit)}`);
  }
}
