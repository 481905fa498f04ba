/** Pictures cannot be drawn: an optional package is missing or does not load. The message says what to install. */
export class PngUnavailableError extends Error {
  override readonly name = "PngUnavailableError";
  readonly code = "PNG_UNAVAILABLE";
}
