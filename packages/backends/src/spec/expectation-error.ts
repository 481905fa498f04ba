/** A part of a spec that is not what it should be; `parseHandler` puts the whole spec around it. */
export class ExpectationError extends Error {
  override readonly name = "ExpectationError";

  constructor(expected: string, got: string | undefined) {
    super(`expected ${expected}, got ${got === undefined ? "nothing" : JSON.stringify(got)}`);
  }
}
