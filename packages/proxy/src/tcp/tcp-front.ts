import type { Front } from "../front.js";
import type { ResolvedOptions } from "../options/resolve-options.js";

export function createTcpFront(_options: ResolvedOptions, _onRefused: (status: string) => void): Front {
  throw new Error("not there yet");
}
