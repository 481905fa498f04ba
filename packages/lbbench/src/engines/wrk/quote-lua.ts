/** Returns bytes as a string literal of Lua: letters and digits as they are, anything else by its number. */
export function quoteLua(bytes: Uint8Array): string {
  let quoted = "";
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    // All three digits, so that a digit which follows is not taken for one of them.
    quoted += /[0-9A-Za-z]/.test(character) ? character : `\\${String(byte).padStart(3, "0")}`;
  }
  return `"${quoted}"`;
}
