/** Something asked for that cannot be done: a value, a flag, a combination. Nothing has been started. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "BAD_CONFIG";
}
