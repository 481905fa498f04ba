import { access, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { parseHandler } from "@lbbench/backends/options";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { FaultyPart, RunningServer, Server, ServerContext } from "../plugin.js";
import { FOLDER_PLACE, StartError } from "../system/program.js";
import { isGone, waitUntilSeen } from "../system/signals.js";
import {
  balancerProgramOptions,
  balancerView,
  translatePolicy,
  type BalancerProgramOptions,
} from "./balancer-programs.js";
import { startConfigured, type ConfiguredProgram } from "./configured-program.js";
import type { ProgramLife } from "./program-lives.js";
import { parsedBy, portOption, processesOption, programOption, templateOption } from "./options.js";
import { waitUntil } from "./ready.js";
import { nameWithin, startInFront, type StartedBackend } from "./start-in-front.js";

const CONFIG_FILE = "nginx.conf";
const PID_FILE = "nginx.pid";
/** More requests than a connection ever sees; nginx cannot be told not to count them. */
const ENDLESS_REQUESTS = 1_000_000_000;
/** What a worker needs beside the connections that carry requests: where it listens, its way to the master. */
const OTHER_CONNECTIONS = 2;
const MOST_SIZE_BYTES = 2 ** 24;

/**
 * Backends behind nginx, which has to be installed (1.19.5 or newer). With several workers `keepAlive` and `clientConnections` are of
 * each. A request for backends that all have `maxConnections` is answered with 502 at once. After failures to answer a backend is left
 * out for a second, as by the balancer of lbbench.
 */
export const nginxServer: Server<BalancerProgramOptions> = {
  name: "nginx",
  options: balancerProgramOptions("nginx"),
  balances: true,
  start: (chosen, context) =>
    startInFront(chosen.backends, context, (backends) => startBalancingNginx(chosen, backends, context)),
};

async function startBalancingNginx(
  chosen: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const watched = { role: "balancer", name: nameWithin(context, "nginx") } as const;
  const part = nameWithin(context, "balancer");
  const view = nginxView(chosen, backends);
  const { server, lives, differs, reconfigure } = await startNginx(
    { chosen, watched, part, template: NGINX_TEMPLATE, view },
    context,
  );
  /** Names of backends that are drained; each life begins with none. */
  const drained = new WeakMap<ProgramLife, ReadonlySet<string>>();
  let changing: Promise<unknown> = Promise.resolve();
  const setDown = async (life: ProgramLife, name: string, isDown: boolean): Promise<void> => {
    const down = new Set(drained.get(life)).add(name);
    if (!isDown) down.delete(name);
    const { old } = await reconfigure(life, nginxView(chosen, backends, down));
    drained.set(life, down);
    // They take nothing new, and end when what they have is done.
    await waitUntilSeen(() => old.every(isGone), "the former workers to end", {
      limitMs: DEFAULTS.faults.idleLimitMs,
    }).catch(() => {});
  };
  const drainable = backends.filter(({ name }) => differs(nginxView(chosen, backends, new Set([name]))));
  const parts = drainable.map(({ name }): FaultyPart => ({
    name: nameWithin(context, name),
    role: "backend",
    can: ["drain", "restore"],
    // One change of the configuration after the other.
    apply: ({ kind }) =>
      lives.demand((life) => {
        const change = changing.then(() => setDown(life, name, kind === "drain"));
        changing = change.catch(() => {});
        return change;
      }),
  }));
  return { ...server, parts: [...lives.server.parts, ...parts] };
}

/** What the template of nginx in front of backends can say; throws a `StartError` for what nginx cannot. */
export function nginxView(
  options: BalancerProgramOptions,
  backends: readonly StartedBackend[],
  drained: ReadonlySet<string> = new Set(),
) {
  const { workers, clientConnections, keepAlive, policy } = options;
  const { passiveHealth, retries } = BALANCER_DEFAULTS;
  const view = balancerView(options, backends);
  return {
    ...view,
    /** With whether nothing is to be sent there, which a reload may change. */
    backends: view.backends.map((backend, index) => ({ ...backend, down: drained.has(backends[index]?.name ?? "") })),
    user: workerUser(),
    /** The directive of the policy, without the semicolon; empty for round robin. */
    method: translatePolicy(policy, "nginx"),
    /** Whether its workers have to share what they know of the backends. */
    shared: workers > 1,
    // Every client may have a request under way, and connections that are kept may be to other backends than it needs.
    workerConnections: 2 * clientConnections + keepAlive + OTHER_CONNECTIONS,
    /** How often a request is sent at all. */
    tries: retries + 1,
    failures: passiveHealth.failures,
    ejectSeconds: Math.ceil(passiveHealth.ejectMs / 1000),
    endlessRequests: ENDLESS_REQUESTS,
  };
}

/** What can be said in quotes in a configuration of nginx, which takes `$` for the start of a variable. */
// oxlint-disable-next-line no-control-regex
const QUOTABLE = /^[^"$\\\u0000-\u001F\u007F]+$/;

const staticOptions = z
  .strictObject({
    /** Folder that is served, from that of the configuration. */
    root: z
      .string()
      .regex(QUOTABLE, 'expected a path without ", $, \\ and line breaks, for nginx to read it')
      .optional(),
    /** Size of the one file that is served at `/` without a root. */
    size: parsedBy(readSize).optional(),
    workers: processesOption.default(DEFAULTS.balancerProgram.workers),
    /** Connections of each worker; more are closed at once. */
    clientConnections: z.int().min(1).max(1_000_000).default(DEFAULTS.nginxStatic.clientConnections),
    /** Requests after which a connection is closed. */
    keepAliveRequests: z.int().min(1).max(1_000_000_000).default(DEFAULTS.nginxStatic.keepAliveRequests),
    /** Connections that wait to be accepted. */
    backlog: z.int().min(1).max(65_535).default(DEFAULTS.nginxStatic.backlog),
    template: templateOption,
    program: programOption.default(DEFAULTS.nginx.program),
    port: portOption,
  })
  .transform(({ root, size, ...chosen }, context) => {
    if (root === undefined) return { ...chosen, size: size ?? DEFAULTS.nginxStatic.size };
    const message = "expected no size beside a root";
    if (size !== undefined) context.addIssue({ code: "custom", path: ["size"], message, input: size });
    return { ...chosen, root };
  });

/** nginx alone, which serves the files of a folder, or one file of a size. */
export const nginxStaticServer: Server<z.infer<typeof staticOptions>> = {
  name: "nginx-static",
  options: staticOptions,
  start: async (chosen, context) => {
    const { workers, clientConnections, keepAliveRequests, backlog } = chosen;
    const root = "root" in chosen ? await findFolder(resolve(context.folder, chosen.root)) : "www";
    const files = "root" in chosen ? {} : { "www/index.html": contentOf(readSize(chosen.size)) };
    const workerConnections = clientConnections + OTHER_CONNECTIONS;
    const limits = { workers, clientConnections, workerConnections, keepAliveRequests, backlog };
    const watched = { role: "backend", name: context.name ?? "nginx-static" } as const;
    const view = { ...limits, user: workerUser(), root };
    return (await startNginx({ chosen, watched, template: STATIC_TEMPLATE, view, files }, context)).server;
  },
};

async function findFolder(path: string): Promise<string> {
  const found = QUOTABLE.test(path)
    ? await stat(path).catch((error: Error) => error.message)
    : 'a path with ", $, \\ or a line break, which nginx would read otherwise';
  if (typeof found !== "string" && found.isDirectory()) return path;
  const got = typeof found === "string" ? found : "a file";
  const expected = `Expected a folder at ${path}, which nginx-static is to serve, but got: ${got}`;
  throw new StartError(`${expected}. Is the option "root" right?`);
}

/** A size in bytes, as the handlers of the sample servers understand it. */
function readSize(text: string): number {
  try {
    const handler = parseHandler(`hello,size=${text}`);
    if ("sizeBytes" in handler && handler.sizeBytes <= MOST_SIZE_BYTES) return handler.sizeBytes;
  } catch {
    // It is said below what was expected.
  }
  throw new Error("expected a size of at most 16MB, like 512, 10kB or 1MB");
}

function contentOf(sizeBytes: number): string {
  const line = "A line of text that nginx serves from a file.\n";
  return line.repeat(Math.ceil(sizeBytes / line.length)).slice(0, sizeBytes);
}

function startNginx(
  run: Pick<ConfiguredProgram, "chosen" | "watched" | "part" | "template" | "view" | "files">,
  context: ServerContext,
) {
  const nginx = {
    signals: { finish: "SIGQUIT", reload: "SIGHUP" } as const,
    installation: { title: "nginx", packageName: "nginx" },
    // With `daemon` said here, a template cannot send it where nobody would stop it: nginx refuses to be told twice.
    args: ["-p", FOLDER_PLACE, "-e", "stderr", "-c", CONFIG_FILE, "-g", `daemon off; pid ${PID_FILE};`],
    configFile: CONFIG_FILE,
    // Written when it has its port, which it tries for some seconds to get from whoever else may have it.
    waitUntilItself: (at: string, signal: AbortSignal) => waitUntil(() => access(join(at, PID_FILE)), signal),
  };
  return startConfigured({ ...run, ...nginx }, context);
}

/**
 * User and group for its workers; `null` where nginx cannot choose, because it is not run by root. Root's workers stay root's: another
 * user might not get at the files that are served, which others may not see.
 */
function workerUser(): string | null {
  if (process.getuid?.() !== 0) return null;
  return `${userInfo().username} ${process.platform === "linux" ? "root" : "wheel"}`;
}

/**
 * How both configurations begin, up to the first lines of `http`: who runs it, its processes, and temporary files in its folder. Paths
 * are relative to the folder in which the configuration is. That nginx stays in the foreground, where its process number goes
 * and where it reports errors is said on the command line.
 */
const TEMPLATE_BEGINNING = `{{#user}}
user {{user}};
{{/user}}
worker_processes {{workers}};
error_log stderr crit;

events {
  worker_connections {{workerConnections}};
}

http {
  access_log off;
  client_body_temp_path client_body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
`;

/** The configuration of nginx in front of backends, as a Mustache template. */
export const NGINX_TEMPLATE = `${TEMPLATE_BEGINNING}
  client_header_timeout {{headMs}}ms;
  client_body_timeout {{idleMs}}ms;
  send_timeout {{idleMs}}ms;
  keepalive_timeout {{keepAliveMs}}ms;
  keepalive_requests {{endlessRequests}};
  client_max_body_size 0;

  upstream backends {
{{#shared}}
    zone backends 1m;
{{/shared}}
{{#method}}
    {{method}};
{{/method}}
{{#backends}}
    server {{address}} weight={{weight}}{{#maxConnections}} max_conns={{maxConnections}}{{/maxConnections}} max_fails={{failures}} fail_timeout={{ejectSeconds}}s{{#down}} down{{/down}};
{{/backends}}
{{#keepAlive}}
    keepalive {{keepAlive}};
    keepalive_requests {{endlessRequests}};
    keepalive_timeout {{backendIdleMs}}ms;
{{/keepAlive}}
  }

  server {
    listen {{host}}:{{port}} backlog={{backlog}};

    location / {
      proxy_pass http://backends;
      proxy_http_version 1.1;
{{#keepAlive}}
      proxy_set_header Connection "";
{{/keepAlive}}
{{^keepAlive}}
      proxy_set_header Connection close;
{{/keepAlive}}
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_redirect off;
      proxy_max_temp_file_size 0;
      proxy_connect_timeout {{connectMs}}ms;
      proxy_send_timeout {{idleMs}}ms;
      proxy_read_timeout {{responseMs}}ms;
      proxy_next_upstream error timeout;
      proxy_next_upstream_tries {{tries}};
    }
  }
}
`;

const STATIC_TEMPLATE = `${TEMPLATE_BEGINNING}
  types {
    text/html html htm; text/css css; text/plain txt md; text/xml xml; text/javascript js mjs;
    application/json json map; application/wasm wasm; font/woff2 woff2;
    image/avif avif; image/gif gif; image/jpeg jpg jpeg; image/png png; image/svg+xml svg; image/webp webp;
  }
  default_type application/octet-stream;

  sendfile on;
  tcp_nopush on;
  keepalive_requests {{keepAliveRequests}};

  server {
    listen {{host}}:{{port}} backlog={{backlog}};
    root "{{root}}";
    index index.html;
  }
}
`;
