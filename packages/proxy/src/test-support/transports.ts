import type { BalancerOptions } from "../options/options.js";

/** The transports that every test of mode `http` is run with: they are to behave in the same way. */
export const TRANSPORTS = ["wire", "wire on public sockets", "http-proxy"] as const;

/** One of them. */
export type Transport = (typeof TRANSPORTS)[number];

/** The options that say so. */
export function optionsFor(transport: Transport): Pick<BalancerOptions, "transport" | "sockets"> {
  return transport === "wire on public sockets" ? { transport: "wire", sockets: "public" } : { transport };
}
