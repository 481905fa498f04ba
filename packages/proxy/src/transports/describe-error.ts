/** What went wrong, in words. */
export function describeError(error: unknown): string {
  // An address with several candidates fails with one error for each, and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  return error instanceof Error ? error.message : String(error);
}
