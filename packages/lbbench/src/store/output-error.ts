/** The folder or a file of a report cannot be written or read. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  readonly code = "OUTPUT_FAILED";
}
