import { access } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { DEFAULTS } from "../config/defaults.js";
import type { FaultyPart, RunningServer, Server, ServerContext } from "../plugin.js";
import { FOLDER_PLACE } from "../system/program.js";
import { isGone, waitUntilSeen } from "../system/signals.js";
import {
  balancerProgramOptions,
  balancerView,
  PROGRAM_POLICIES,
  translatePolicy,
  type BalancerProgramOptions,
} from "./balancer-programs.js";
import { startConfigured, type ConfiguredProgram } from "./configured-program.js";
import type { ProgramLife } from "./program-lives.js";
import { waitUntil } from "./ready.js";
import { nameWithin, protocolOfBackends, startInFront, type StartedBackend } from "./start-in-front.js";

const CONFIG_FILE = "nginx.conf";
const PID_FILE = "nginx.pid";
/** More requests than a connection ever sees; nginx cannot be told not to count them. */
const ENDLESS_REQUESTS = 1_000_000_000;
/** What a worker needs beside the connections that carry requests: where it listens, its way to the master. */
const OTHER_CONNECTIONS = 2;

/**
 * Backends behind nginx, which has to be installed (1.19.5 or newer). With several workers `keepAlive` and `clientConnections` are of
 * each. A request for backends that all have `maxConnections` is answered with 502 at once. After failures to answer a backend is left
 * out for a second, as by the balancer of lbbench.
 */
export const nginxServer: Server<BalancerProgramOptions> = {
  name: "nginx",
  options: balancerProgramOptions("nginx"),
  balances: true,
  policies: PROGRAM_POLICIES,
  protocol: protocolOfBackends,
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
  const view = nginxView(chosen, backends, context);
  const { server, lives, differs, reconfigure } = await startNginx(
    { chosen, protocol: view.grpc ? "grpc" : "http", watched, part, template: NGINX_TEMPLATE, view },
    context,
  );
  /** Names of backends that are drained; each life begins with none. */
  const drained = new WeakMap<ProgramLife, ReadonlySet<string>>();
  let changing: Promise<unknown> = Promise.resolve();
  const setDown = async (life: ProgramLife, name: string, isDown: boolean): Promise<void> => {
    const down = new Set(drained.get(life)).add(name);
    if (!isDown) down.delete(name);
    const { old } = await reconfigure(life, nginxView(chosen, backends, context, down));
    drained.set(life, down);
    // Old workers accept no new connection, and end when their requests are answered.
    await waitUntilSeen(() => old.every(isGone), "the former workers to end", {
      limitMs: DEFAULTS.faults.idleLimitMs,
    }).catch(() => {});
  };
  const drainable = backends.filter(({ name }) => differs(nginxView(chosen, backends, context, new Set([name]))));
  const parts = drainable.map(({ name }): FaultyPart => ({
    name: nameWithin(context, name),
    role: "backend",
    can: ["drain", "restore"],
    // Changes of the configuration are done one after the other.
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
  clients: Pick<ServerContext, "httpVersion">,
  drained: ReadonlySet<string> = new Set(),
) {
  const { workers, clientConnections, keepAlive, policy } = options;
  const { passiveHealth, retries } = BALANCER_DEFAULTS;
  const view = balancerView(options, backends, clients);
  return {
    ...view,
    /** With whether nothing is to be sent there, which a reload may change. */
    backends: view.backends.map((backend, index) => ({ ...backend, down: drained.has(backends[index]?.name ?? "") })),
    /** The module that speaks to backends: the first word of its directives, `proxy_pass` or `grpc_pass`. */
    module: view.grpc ? "grpc" : "proxy",
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

function startNginx(
  run: Pick<ConfiguredProgram, "protocol" | "chosen" | "watched" | "part" | "template" | "view" | "files">,
  context: ServerContext,
) {
  const nginx = {
    signals: { finish: "SIGQUIT", reload: "SIGHUP" } as const,
    installation: { title: "nginx", packageName: "nginx" },
    // With `daemon` given here, nginx refuses a template that has it as well: it would go where nobody stops it.
    args: ["-p", FOLDER_PLACE, "-e", "stderr", "-c", CONFIG_FILE, "-g", `daemon off; pid ${PID_FILE};`],
    configFile: CONFIG_FILE,
    // nginx writes it when it has its port. For some seconds it tries to get a port that another process has.
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
 * The configuration of nginx in front of backends, as a Mustache template. Paths are relative to the folder in which it is. That nginx stays in
 * the foreground, where its process number goes and where it reports errors is said on the command line.
 */
export const NGINX_TEMPLATE = `{{#user}}
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
    listen {{host}}:{{port}} backlog={{backlog}}{{#http2}} http2{{/http2}};

    location / {
{{#grpc}}
      grpc_pass grpc://backends;
{{/grpc}}
{{^grpc}}
      proxy_pass http://backends;
      proxy_http_version 1.1;
{{#keepAlive}}
      proxy_set_header Connection "";
{{/keepAlive}}
{{^keepAlive}}
      proxy_set_header Connection close;
{{/keepAlive}}
      proxy_redirect off;
      proxy_max_temp_file_size 0;
{{/grpc}}
      {{module}}_set_header Host $http_host;
      {{module}}_set_header X-Forwarded-For $remote_addr;
      {{module}}_connect_timeout {{connectMs}}ms;
      {{module}}_send_timeout {{idleMs}}ms;
      {{module}}_read_timeout {{responseMs}}ms;
      {{module}}_next_upstream error timeout;
      {{module}}_next_upstream_tries {{tries}};
    }
  }
}
`;
