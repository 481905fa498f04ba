/** A server could not be started or reached. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly code = "START_FAILED";
}
