import { ConfigError } from "../index.js";

const HIGHEST_PORT = 65_535;

/** Reads the port of a flag, or takes the default; throws a `ConfigError` for anything but 0 to 65535. */
export function parsePort(text: string | undefined, otherwise: number, flag = "--port"): number {
  if (text === undefined) return otherwise;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > HIGHEST_PORT) {
    throw new ConfigError(`${flag}: expected a port from 0 to ${HIGHEST_PORT}, got "${text}"`);
  }
  return port;
}
