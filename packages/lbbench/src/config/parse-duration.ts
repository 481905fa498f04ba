import ms, { type StringValue } from "ms";

/**
 * Milliseconds of a time like `500ms`, `5s`, `1.5m` or `1h`; `0` needs no unit.
 * Throws an `Error` that says what was expected, for anything else.
 */
export function parseDuration(text: string): number {
  const trimmed = text.trim();
  if (trimmed === "0") return 0;
  if (!/^\d+(\.\d+)?(ms|s|m|h)$/.test(trimmed)) {
    const unit = /^\d+(\.\d+)?$/.test(trimmed) ? `; a number needs a unit: ${trimmed}s, ${trimmed}ms` : "";
    throw new Error(`expected a time such as 500ms, 5s or 2m, got "${text}"${unit}`);
  }
  return ms(trimmed as StringValue);
}
