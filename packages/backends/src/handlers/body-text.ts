const FILLER = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n";

/** A text of the given number of bytes, or the short one when there is no size. */
export function textBody(short: string, sizeBytes: number | undefined): string {
  return sizeBytes === undefined ? short : filler(sizeBytes);
}

/** A JSON document of the given number of bytes (at least 2), or a short one when there is no size. */
export function jsonBody(sizeBytes: number | undefined): string {
  const short = JSON.stringify({ message: "hello" });
  if (sizeBytes === undefined) return short;
  const frame = JSON.stringify({ message: "hello", padding: "" });
  const padding = sizeBytes - frame.length;
  if (padding >= 0) return JSON.stringify({ message: "hello", padding: "x".repeat(padding) });
  return JSON.stringify("x".repeat(sizeBytes - 2));
}

function filler(sizeBytes: number): string {
  return FILLER.repeat(Math.ceil(sizeBytes / FILLER.length)).slice(0, sizeBytes);
}
