/** Inputs whose names are not those of their settings. */
const NAMES: ReadonlyMap<unknown, string> = new Map([["keepAlive", "keep-alive"]]);

/** The input of the action that a setting was given with: `keep-alive` for `keepAlive`. */
export function nameInput([setting]: readonly PropertyKey[]): string {
  return NAMES.get(setting) ?? String(setting ?? "inputs");
}
