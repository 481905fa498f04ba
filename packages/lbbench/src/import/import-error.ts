/** A file that cannot be imported: not the output of a program that is known, cut, damaged, or in another language. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "IMPORT_FAILED";
}
