import type { ResolvedBackend, ResolvedOptions } from "../options/resolve-options.js";
import { createHttpProxyLink } from "./http-proxy/http-proxy-link.js";
import type { Link, LinkContext } from "./link.js";
import { createUndiciLink } from "./undici/undici-link.js";

const TRANSPORTS = { undici: createUndiciLink, "http-proxy": createHttpProxyLink } as const;

/** How a balancer with these options makes the way to a backend. */
export function openLinkBy(options: ResolvedOptions): (backend: ResolvedBackend) => Link {
  const createLink = TRANSPORTS[options.transport];
  const context: LinkContext = {
    ownHeader: options.backendHeader === false ? undefined : options.backendHeader.toLowerCase(),
    headBytes: options.limits.headBytes,
  };
  return (backend) => createLink(backend, options.backendTls, context);
}
