/** The transports that every test of mode `http` is run with: they are to behave in the same way. */
export const TRANSPORTS = ["wire", "http-proxy"] as const;

/** One of them. */
export type Transport = (typeof TRANSPORTS)[number];
