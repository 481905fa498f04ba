/** A handler that cannot be understood; the message says what was expected, what came, and which handlers there are. */
export class HandlerSpecError extends Error {
  override readonly name = "HandlerSpecError";
}
