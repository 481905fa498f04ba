import type { BackendOptions, BalancerSnapshot, RemoveOptions, TlsOptions } from "../options/options.js";
import { checkGrace, checkWeight, resolveBackend, type ResolvedOptions } from "../options/resolve-options.js";
import { refuseWithoutTls, resolveTls } from "../options/resolve-tls.js";
import { findUpstream } from "../pool/pool.js";
import { Upstream } from "../pool/upstream.js";

/** Which backends and certificates every worker is to have. It is changed first, and refuses what is wrong before a worker hears of it. */
export type Plan = ReturnType<typeof createPlan>;

/**
 * Makes a plan of the balancer as it begins. In it backends are upstreams that nothing is sent to. Under TLS all workers have
 * `ticketKeys`, so that each resumes the sessions of the others.
 */
export function createPlan(
  { backends, mode, transport, limits, health, tls: given }: ResolvedOptions,
  ticketKeys: Buffer,
) {
  let tls = given && { ...given, ticketKeys: given.ticketKeys ?? ticketKeys };
  const speaker = { mode, transport, health };
  let upstreams = backends.map((backend) => new Upstream(backend, undefined, limits, health));
  return {
    /** What speaks to them. */
    speaker,
    /** The backends with their weights and drains, and nothing counted. */
    snapshot: (): BalancerSnapshot => ({
      backends: upstreams.map((upstream) => upstream.snapshot()),
      connections: 0,
      refused: {},
      shortages: {},
    }),
    /** The part of a worker's setup that may change. */
    setup: () => ({
      backends: upstreams.map(({ name, url, baseWeight }) => ({ name, url, weight: baseWeight })),
      draining: upstreams.filter(({ condition }) => condition === "draining").map(({ name }) => name),
      tls,
    }),
    reloadCertificates(changed: TlsOptions) {
      const { ticketKeys: before } = tls ?? refuseWithoutTls();
      const resolved = resolveTls(changed);
      tls = { ...resolved, ticketKeys: resolved.ticketKeys ?? before };
    },
    addBackend(backend: BackendOptions) {
      const resolved = resolveBackend(backend, speaker, "backend", upstreams);
      upstreams.push(new Upstream(resolved, undefined, limits, health));
    },
    removeBackend(name: string, { graceMs = 0 }: RemoveOptions = {}) {
      checkGrace(graceMs);
      const removed = findUpstream(upstreams, name);
      upstreams = upstreams.filter((upstream) => upstream !== removed);
    },
    drainBackend(name: string) {
      findUpstream(upstreams, name).condition = "draining";
    },
    restoreBackend(name: string) {
      findUpstream(upstreams, name).condition = "up";
    },
    setBackendWeight(name: string, weight: number) {
      findUpstream(upstreams, name).baseWeight = checkWeight(weight, "weight");
    },
  };
}
