import { findDirectAccess } from "@lbbench/wire";
import { createHttpFront } from "./http/front.js";
import type { Counters, Front } from "./front.js";
import { guardPlugins } from "./guard-plugins.js";
import { createWarnings } from "./observe/warnings.js";
import { SHORTAGES } from "./pool/connect-backend.js";
import { createTcpFront } from "./tcp/relay.js";
import { BalancerListenError, listen } from "./listen.js";
import { statsOf } from "./observe/merge-snapshots.js";
import { startTimer } from "./start-timer.js";
import { BALANCER_DEFAULTS } from "./options/defaults.js";
import type {
  Balancer,
  BalancerOptions,
  BalancerSnapshot,
  CloseOptions,
  ListenAddress,
  ListenOptions,
  TlsOptions,
} from "./options/options.js";
import { refuseWithoutTls } from "./options/resolve-tls.js";
import { checkGrace, type ResolvedOptions, resolveOptions } from "./options/resolve-options.js";

/** A load balancer over the given backends, not listening yet. Throws a `BalancerOptionsError`. */
export function createBalancer(options: BalancerOptions): Balancer {
  return balance(resolveOptions(options));
}

/** Throws the `BalancerOptionsError` that {@link createBalancer} would throw, and creates nothing. */
export function checkBalancerOptions(options: Omit<BalancerOptions, "backends">): void {
  resolveOptions({ ...options, backends: [] }, { leastBackends: 0 });
}

/** A balancer of options that have been checked, also with no backend. */
export function balance(resolved: ResolvedOptions): Balancer {
  const warn = createWarnings();
  const refused = new Map<string, number>();
  const shortages = new Map<string, number>();
  const counters: Counters = {
    onRefused: (status) => void refused.set(status, (refused.get(status) ?? 0) + 1),
    onOutlier: (text) => warn("outlier", text),
    onShortage: (code) => {
      shortages.set(code, (shortages.get(code) ?? 0) + 1);
      warn(code, `No connection to a backend could be made: ${code}. This machine is short of ${SHORTAGES.get(code)}.`);
    },
  };
  const guarded = guardPlugins(resolved, warn);
  const front: Front = resolved.mode === "tcp" ? createTcpFront(guarded, counters) : createHttpFront(guarded, counters);
  const { pool, server, tls } = front;
  const scheme = resolved.mode === "tcp" ? "tcp" : resolved.tls === undefined ? "http" : "https";

  let listening: Promise<ListenAddress> | undefined;
  let closed: Promise<void> | undefined;

  async function start(listenOptions: ListenOptions = {}): Promise<ListenAddress> {
    if (listening !== undefined || closed !== undefined) {
      throw new BalancerListenError("A balancer listens once; create another one to listen again.");
    }
    listening = prepare().then(() => listen(server, listenOptions, scheme));
    return listening;
  }

  async function prepare(): Promise<void> {
    if (resolved.sockets === "direct") front.context.access = await findDirectAccess();
  }

  async function shutDown(): Promise<void> {
    front.beginClosing();
    await listening?.catch(() => undefined);
    if (server.listening) {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        front.endIdle();
      });
    }
    // Before their backends are gone: what had no answer by now was cut off here, and is no failure of theirs.
    await front.stop();
    await pool.close();
  }

  async function close({ graceMs = BALANCER_DEFAULTS.closeGraceMs }: CloseOptions = {}): Promise<void> {
    checkGrace(graceMs);
    closed ??= shutDown();
    const stopTimer = startTimer(() => front.endAll(), graceMs);
    try {
      await closed;
    } finally {
      stopTimer();
    }
  }

  const snapshot = (): BalancerSnapshot => ({
    backends: pool.upstreams.map((upstream) => upstream.snapshot()),
    connections: front.connections(),
    refused: Object.fromEntries(refused),
    shortages: Object.fromEntries(shortages),
    ...(tls && { handshakes: tls.handshakes() }),
  });

  return {
    listen: start,
    stats: () => statsOf(snapshot()),
    snapshot,
    addBackend: (backend) => pool.add(backend),
    removeBackend: (name, removal) => pool.remove(name, removal),
    drainBackend: (name) => pool.drain(name),
    restoreBackend: (name) => pool.restore(name),
    setBackendWeight: (name, weight) => pool.setWeight(name, weight),
    reloadBackends: (backends, removal) => pool.reload(backends, removal),
    reloadCertificates: (certificates: TlsOptions) => (tls ?? refuseWithoutTls()).reload(certificates),
    close,
  };
}
