import type { BalancerOptions } from "../options/options.js";

/** The transports that every test of mode `http` is run with: they are to behave in the same way. */
export const TRANSPORTS = ["wire", "http-proxy"] as const;

/** Those, and what tests of pieces, ends, resets and waiting are run with as well: nothing else depends on how sockets are used. */
export const WAYS_OF_SOCKETS = [...TRANSPORTS, "wire on public sockets"] as const;

/** One of them. */
export type Transport = (typeof WAYS_OF_SOCKETS)[number];

/** The options that say so. */
export function optionsFor(transport: Transport): Pick<BalancerOptions, "transport" | "sockets"> {
  return transport === "wire on public sockets" ? { transport: "wire", sockets: "public" } : { transport };
}
