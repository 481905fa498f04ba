import { ConfigError } from "../index.js";

/** Collects the values of `-H` by name. Throws a `ConfigError` for a line that is no header. */
export function parseHeaders(lines: readonly string[]): Record<string, readonly string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new ConfigError(`-H, --header: expected a header such as "Accept: application/json", got "${line}"`);
    }
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}
