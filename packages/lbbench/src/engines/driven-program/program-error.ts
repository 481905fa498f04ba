/** A program that generates load did not do what it was asked to, or what it printed cannot be understood. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code = "PROGRAM_FAILED";
}

/** The program of an engine is not installed, or cannot be run. */
export class MissingProgramError extends Error {
  override readonly name = "MissingProgramError";
  readonly code = "START_FAILED";
}
