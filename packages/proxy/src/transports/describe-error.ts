/** What went wrong, in words. */
export function describeError(error: unknown): string {
  // An address with several candidates fails with one error for each, and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(describeError).join("; ");
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : "";
  const isUntrusted = /CERT|SIGNATURE|UNABLE_TO_/.test(code);
  return isUntrusted
    ? `${error.message} (see backendTls: which certificates to trust, and for which name)`
    : error.message;
}
