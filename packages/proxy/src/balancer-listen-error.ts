/** The balancer could not listen; `code` is the system's (`EADDRINUSE`, `EACCES`, ...) and `cause` its error. */
export class BalancerListenError extends Error {
  override readonly name = "BalancerListenError";
  readonly code: string | undefined;

  constructor(message: string, cause?: NodeJS.ErrnoException) {
    super(message, { cause });
    this.code = cause?.code;
  }
}
