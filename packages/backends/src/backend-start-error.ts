/**
 * A sample server could not start; nothing of it is left. `code` is the system's (`EADDRINUSE`, ...) where there is
 * one.
 */
export class BackendStartError extends Error {
  override readonly name = "BackendStartError";
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** The error for an address that cannot be listened on. */
export function cannotListen(host: string, port: number, error: NodeJS.ErrnoException): BackendStartError {
  const where = `Cannot listen on ${host}:${port}`;
  if (error.code === "EADDRINUSE") {
    const remedy = "Stop what listens there, or choose another port (0 takes any free one).";
    return new BackendStartError(`${where}: the port is in use. ${remedy}`, error.code);
  }
  return new BackendStartError(`${where}: ${error.message}`, error.code);
}
