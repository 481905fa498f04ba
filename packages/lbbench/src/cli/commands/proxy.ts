import { once } from "node:events";
import type {
  BackendOptions,
  CertificateOptions,
  ListenOptions,
  PlainBalancerOptions,
  RequestLogFormat,
} from "@lbbench/proxy";
import { BALANCER_CHOICES, BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { ConfigError, refuse } from "../../config/config-error.js";
import { DEFAULTS } from "../../config/defaults.js";
import type { Setting } from "../../config/field.js";
import { countOf } from "../../stats/format-number.js";
import { connectOnce } from "../../system/listen.js";
import { nameByFlag } from "../flags.js";
import { ExitCode, type Command, type Invocation, type ReadFlags } from "../io.js";
import { toPrintable } from "../terminal.js";
import { defined } from "../../stats/defined.js";

const { timeouts, activeHealth, outliers } = BALANCER_DEFAULTS;
const CHOICES: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(BALANCER_CHOICES));

// oxfmt-ignore
const ROWS: readonly Setting[] = [
  { path: "backends", flags: "--backend <url>", kind: "repeat", about: "repeatable; http://, h2c:// (HTTP/2), https://, tcp:// or unix:/path; 'URL weight=3 name=a'",
    isRequired: true },
  { flags: "-p, --port <port>", kind: "port", about: "0 takes a free one", default: `${DEFAULTS.proxyPort}` },
  { flags: "--host <address>", about: "address to listen at", default: DEFAULTS.host },
  { flags: "--socket <path>", about: "a Unix socket to listen on", conflicts: ["port", "host"] },
  { path: "mode", flags: "--mode <mode>", about: "http balances requests, tcp connections" },
  { path: "transport", flags: "--transport <name>", about: "what speaks to the backends: wire or http-proxy" },
  { path: "sockets", flags: "--sockets <way>", about: "how connections are read and written: direct, or public, which is slower" },
  { path: "policy", flags: "--policy <policy>", about: "how a backend is picked, like consistent-hash:header:x-user, or ./mine.mjs",
    default: DEFAULTS.policy },
  { flags: "--workers <count>", kind: "some", about: "processes that share the work", default: "1" },
  { path: "retries", flags: "--retries <count>", kind: "count", about: "tries on other backends for a request that may be repeated" },
  { path: "health.active.path", flags: "--health-check [path]", value: activeHealth.path, about: "ask the backends whether they are well",
    default: `path ${activeHealth.path}` },
  { path: "health.active.grpc", flags: "--health-grpc [service]", value: "", needs: "--health-check",
    about: "ask them that by gRPC (grpc.health.v1), about a service or the whole server" },
  { path: "health.active.intervalMs", flags: "--health-interval <time>", kind: "time", needs: "--health-check",
    about: "between two of these checks" },
  { path: "health.outliers.slowFactor", flags: "--outliers [factor]", kind: "share", value: outliers.slowFactor, default: `factor ${outliers.slowFactor}`,
    about: "eject backends that fail more than the others, or take so many times as long to answer" },
  { path: "health.outliers.errorShare", flags: "--outlier-errors <share>", kind: "share", needs: "--outliers",
    about: "how much larger their share of failed requests may be, like 20% or 0.2" },
  { path: "health.outliers.windowMs", flags: "--outlier-window <time>", kind: "time", needs: "--outliers", about: "time over which they are compared" },
  { path: "health.slowStartMs", flags: "--slow-start <time>", kind: "time", about: "time in which a backend that is back gets its full share" },
  { path: "timeouts.connectMs", flags: "--connect-timeout <time>", kind: "time", about: "for a connection to a backend" },
  { path: "timeouts.responseMs", flags: "--response-timeout <time>", kind: "time", about: "for a backend to begin its answer" },
  { path: "timeouts.idleMs", flags: "--idle-timeout <time>", kind: "time", about: "without a byte in a request or an answer" },
  { path: "timeouts.headMs", flags: "--head-timeout <time>", kind: "time", about: "for a client to send its headers" },
  { path: "timeouts.requestMs", flags: "--request-timeout <time>", kind: "time", about: "for a client to send the body of a request, from the end of its head on" },
  { path: "timeouts.tunnelIdleMs", flags: "--tunnel-timeout <time>", kind: "time", about: "without a byte in an upgraded connection" },
  { path: "limits.connectionsPerBackend", flags: "--max-connections <count>", kind: "count", about: "requests that a backend is given at a time" },
  { path: "limits.queuePerBackend", flags: "--queue <count>", kind: "count", about: "requests that may wait for one backend" },
  { path: "whenFull", flags: "--when-full <what>", about: "a request whose backend by a hash is full: next takes another one, wait queues for it" },
  { path: "timeouts.queueMs", flags: "--queue-timeout <time>", kind: "time", about: "how long they may wait" },
  { path: "limits.headBytes", flags: "--max-head <bytes>", kind: "some", about: "size of the headers" },
  { path: "limits.headLines", flags: "--max-head-lines <count>", kind: "some", about: "lines of the headers" },
  { path: "limits.bodyBytes", flags: "--max-body <bytes>", kind: "count", about: "size of a request's body" },
  { path: "limits.bodyBytesPerSecond", flags: "--min-body-rate <bytes>", kind: "count",
    about: `bytes a second of a request's body, over ${timeouts.slowBodyMs / 1000} s` },
  { path: "expect", flags: "--expect <who>", about: "who answers Expect: 100-continue: forward (the backend) or answer (the balancer)" },
  { path: "errorDetails", flags: "--error-details", value: true, about: "tell clients which backend failed, and how" },
  { path: "tls.certificates.cert", flags: "--tls-cert <file>", kind: "contents", needs: "--tls-key",
    about: "certificate (PEM), to speak HTTPS with clients; repeatable, shown by name (SNI); SIGHUP reads the files again" },
  { path: "tls.certificates.key", flags: "--tls-key <file>", kind: "contents", needs: "--tls-cert",
    about: "its private key (PEM); one for each --tls-cert, in their order" },
  { path: "backendTls.ca", flags: "--backend-ca <file>", kind: "content", about: "certificates (PEM) to trust of https:// backends" },
  { path: "backendTls.verify", flags: "--backend-insecure", value: false, about: "do not verify the certificates of https:// backends" },
  { path: "forwarded", flags: "--forwarded <mode>", about: "X-Forwarded-* of clients: replace, append or off" },
  { path: "underscores", flags: "--underscores <what>", about: "X_Forwarded_* of clients, which some servers take for X-Forwarded-*: drop or pass" },
  { path: "via", flags: "--via <name>", about: "name of the balancer in the Via of requests", default: "no Via" },
  { path: "backendHeader", flags: "--backend-header <name>", about: "header of the answer that names the backend" },
  { path: "serverTiming", flags: "--server-timing", value: true, about: "add to the Server-Timing of answers what their requests waited for" },
  { flags: "--admin <port>", kind: "port", about: "serve figures (/metrics, /stats) and control (/backends, /certificates) on a port of this machine" },
  { flags: "--log [format]", kind: "word", value: "combined", about: "print a line for each request: combined (as Apache does) or json",
    words: ["combined", "json"] },
];

/** The flags of `lbbench proxy`; the path of one is its place in the options of the balancer. Those without a path the command reads. */
export const BALANCER_SETTINGS: readonly Setting[] = ROWS.map((row) => {
  const { path = "", kind } = row;
  const usual = path
    .replace("health.active", "activeHealth")
    .replace(/^health\.(?=outliers|slow)/, "")
    .split(".")
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], BALANCER_DEFAULTS);
  const told = usual === Infinity ? "no limit" : `${String(usual)}${kind === "time" ? "ms" : ""}`;
  const words = CHOICES.get(path);
  return { ...defined({ words, default: ["number", "string"].includes(typeof usual) ? told : undefined }), ...row };
});

/** `lbbench proxy`. */
export const proxyCommand: Command = {
  name: "proxy",
  summary: "run the balancer alone",
  about: "Runs the balancer alone, until it is interrupted; then prints how many requests each backend was given.",
  settings: BALANCER_SETTINGS,
  examples: [
    "proxy --backend http://127.0.0.1:8080 --backend http://127.0.0.1:8081",
    "proxy --backend 'http://127.0.0.1:8080 weight=3' --backend http://127.0.0.1:8081 --policy least-connections --health-check",
  ],
  execute: balance,
};

/** What of the flags of `lbbench proxy` is no option of the balancer. */
export interface BalancerFlags {
  readonly port?: number;
  readonly host?: string;
  readonly socket?: string;
  readonly workers?: number;
  readonly admin?: number;
  readonly log?: RequestLogFormat;
}

/** Codes of a connection that nothing takes; others tell nothing. */
const REFUSED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOENT", "ENOTFOUND", "EHOSTUNREACH"]);

/** Runs the balancer until it is interrupted, then prints how many requests each backend was given; resolves with the exit code. */
async function balance({ read, ...io }: Invocation): Promise<number> {
  const { stderr } = io;
  const flags = await read<BalancerFlags>();
  const { workers, admin } = flags.own;
  const options = readOptions(flags.input);
  const running = await start(options, flags.own, io.cwd);
  // Has new connections shown what the files of the flags hold now.
  const reloadCertificates =
    options.tls &&
    (async () => {
      const { tls } = readOptions((await read()).input);
      if (tls !== undefined) await running.reloadCertificates(tls);
    });
  const onHangup =
    reloadCertificates &&
    (() => {
      const told = reloadCertificates().then(
        () => "The certificates were read again.",
        (error: Error) =>
          `warning: The certificates stay as they were. ${nameByFlag(error.message, ROWS) ?? error.message}`,
      );
      void told.then((text) => stderr.write(`${toPrintable(text)}\n`));
    });
  // Before anything is printed: a reader may interrupt at once. Listeners do not keep Node alive, but a server does.
  const { signal } = io.catchInterrupt({ onHangup });
  const interrupted = once(signal, "abort");
  try {
    const control = admin === undefined ? undefined : await startAdmin(admin, running, reloadCertificates);
    const inWorkers = workers === undefined || workers === 1 ? "" : ` with ${countOf(workers, "worker")}`;
    const where = toPrintable(running.url);
    stderr.write(`Balancing ${countOf(options.backends.length, "backend")} at ${where}${inWorkers}\n`);
    if (control !== undefined) stderr.write(`Figures and control at ${control.url}\n`);
    const asked = options.backends.map(async ({ url }) =>
      connectOnce(new URL(url), signal).catch(({ code }: NodeJS.ErrnoException) => {
        if (REFUSED.has(code)) {
          stderr.write(`warning: Nothing listens at ${toPrintable(url)} (${code}). Start that backend.\n`);
        }
      }),
    );
    await interrupted;
    await Promise.all([...asked, control?.close()]);
  } finally {
    const before = await running.snapshot();
    await running.close();
    const { backends: counted, uncounted } = await Promise.resolve(running.snapshot()).catch(() => before);
    for (const { name, requests, errors, retries } of counted) {
      const again = retries === 0 ? "" : `, ${retries} of them after another backend had failed`;
      stderr.write(`${toPrintable(name)}: ${countOf(requests, "request")}${again}, ${countOf(errors, "error")}\n`);
    }
    if (uncounted !== undefined) {
      const { workers: died, ms } = uncounted;
      stderr.write(`warning: ${countOf(died, "worker")} died. What came in their last ${ms} ms is in no count.\n`);
    }
  }
  return ExitCode.pass;
}

/** The options of the balancer, which checks what it takes: it knows its policies and transports. */
export function readOptions(input: ReadFlags<unknown>["input"]) {
  const { backends, tls, ...options } = input as Omit<Partial<PlainBalancerOptions>, "backends" | "tls"> & {
    readonly backends: readonly string[];
    readonly tls?: { readonly certificates: Readonly<Record<"cert" | "key", readonly string[]>> };
  };
  return {
    policy: DEFAULTS.policy,
    ...options,
    ...defined({ tls: tls && { certificates: pairUp(tls.certificates) } }),
    backends: backends.map(readBackend),
  };
}

/** Certificates with their keys, which were given beside each other. */
function pairUp({ cert, key }: Readonly<Record<"cert" | "key", readonly string[]>>): readonly CertificateOptions[] {
  refuse(
    cert.length !== key.length &&
      `--tls-key: expected one for each --tls-cert, of which there are ${cert.length}; got ${key.length}`,
  );
  return cert.map((text, index) => ({ cert: text, key: key[index] ?? "" }));
}

/** A backend as it is typed: its URL, and behind a blank `weight=NUMBER` or `name=TEXT`. */
function readBackend(text: string): BackendOptions & { readonly url: string } {
  const [url = "", ...settings] = text.trim().split(/\s+/);
  const isUrl = /^(?:(?:https?|h2c|tcp):\/\/|unix:\/)/i.test(url);
  refuse(!isUrl && `--backend: expected a URL such as http://127.0.0.1:8080, got "${url}"`);
  const read = settings.map((setting) => {
    const [, weight, name] = /^(?:weight=(\d+(?:\.\d+)?)|name=(.+))$/.exec(setting) ?? [];
    if (weight !== undefined) return ["weight", Number(weight)] as const;
    if (name !== undefined) return ["name", name] as const;
    throw new ConfigError(
      `--backend: expected a URL, and behind it weight=NUMBER or name=TEXT if need be; got "${setting}" in "${text}"`,
    );
  });
  return { url, ...Object.fromEntries(read) };
}

type Options = ReturnType<typeof readOptions>;

/** Starts what was asked for, here or in workers. */
async function start(options: Options, { log, workers = 1, ...own }: BalancerFlags, folder: string) {
  // All of the balancer is heavy, and not needed for help.
  const { createBalancer, createRequestLogger, loadPolicy, startBalancerWorkers } = await import("@lbbench/proxy");
  const { port = DEFAULTS.proxyPort, host = DEFAULTS.host, socket } = own;
  const listen: ListenOptions = socket === undefined ? { port, host } : { path: socket };
  if (workers > 1) {
    const logged = log === undefined ? {} : { log: { format: log } };
    return startBalancerWorkers({ workers, balancer: options, listen, ...logged });
  }
  const logger = log === undefined ? undefined : await createRequestLogger(log, 1);
  const policy = await loadPolicy(options.policy, { folder });
  const balancer = createBalancer({ ...options, policy, ...defined({ onRequest: logger?.log }) });
  const { url } = await balancer.listen(listen);
  const close = async (): Promise<void> => {
    await balancer.close();
    // A reader that has gone away is no reason to fail at the end.
    await logger?.close().catch(() => undefined);
  };
  return { ...balancer, url, close };
}

/** Starts the server for figures and control of a balancer. */
async function startAdmin(
  port: number,
  running: Awaited<ReturnType<typeof start>>,
  reloadCertificates: (() => Promise<void>) | undefined,
) {
  const { createAdminServer } = await import("@lbbench/proxy");
  const admin = createAdminServer({
    snapshot: async () => running.snapshot(),
    backends: {
      add: running.addBackend,
      remove: running.removeBackend,
      drain: running.drainBackend,
      restore: running.restoreBackend,
      setWeight: running.setBackendWeight,
      reload: running.reloadBackends,
    },
    reloadCertificates,
  });
  const { url } = await admin.listen({ port });
  return { url, close: admin.close };
}
