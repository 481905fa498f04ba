import { checkBackend } from "../health/check-backend.js";
import { startHealthChecks, type HealthChecks } from "../health/health-checks.js";
import type { ResolvedBackendTls, ResolvedHealth } from "../options/resolve-options.js";
import type { Upstream } from "./upstream.js";

/** How upstreams are checked. */
export interface CheckUpstreamsOptions {
  readonly mode: "http" | "tcp";
  readonly health: ResolvedHealth;
  readonly backendTls: ResolvedBackendTls;
}

/** Starts active checks, of no upstream yet; `undefined` when there are to be none. */
export function checkUpstreams<Link>(
  { mode, health: { active }, backendTls }: CheckUpstreamsOptions,
  nowMs: () => number,
  onChecked: (upstream: Upstream<Link>, ok: boolean) => void,
): HealthChecks<Upstream<Link>> | undefined {
  if (active === false) return undefined;
  const { path, timeoutMs, intervalMs } = active;
  return startHealthChecks<Upstream<Link>>({
    intervalMs,
    nowMs,
    check: ({ backend }, signal) => checkBackend(backend, { mode, path, timeoutMs, tls: backendTls }, signal),
    onOutcome: (upstream, { ok }) => onChecked(upstream, ok),
  });
}
