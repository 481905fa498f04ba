/** A program that generates load did not do what it was asked to, or what it printed cannot be understood. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code = "PROGRAM_FAILED";
}
