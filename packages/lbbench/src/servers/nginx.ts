import { access } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { DEFAULTS } from "../config/defaults.js";
import { FOLDER_PLACE } from "../system/program.js";
import { isGone, waitUntilSeen } from "../system/signals.js";
import type { BalancerProgram } from "./balancer-program.js";
import { reloadProgram } from "./program-lives.js";

const PID_FILE = "nginx.pid";
/** More requests than a connection ever sees; nginx cannot be told not to count them. */
const ENDLESS_REQUESTS = 1_000_000_000;
/** What a worker needs beside the connections that carry requests: where it listens, its way to the master. */
const OTHER_CONNECTIONS = 2;

/**
 * The configuration of nginx in front of backends, as a Mustache template. Paths are relative to the folder in which it is. That nginx stays in
 * the foreground, where its process number goes and where it reports errors is said on the command line.
 */
const TEMPLATE = `{{#user}}
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
    listen {{host}}:{{port}} backlog={{backlog}}{{#tls}} ssl{{/tls}}{{#http2}} http2{{/http2}};
{{#tls}}
    ssl_certificate {{identity}};
    ssl_certificate_key {{identity}};
{{/tls}}

    location / {
{{#grpc}}
      grpc_pass grpc://backends;
{{/grpc}}
{{^grpc}}
      proxy_pass http://backends;
      proxy_http_version 1.1;
{{#websocket}}
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
{{/websocket}}
{{^websocket}}
{{#keepAlive}}
      proxy_set_header Connection "";
{{/keepAlive}}
{{^keepAlive}}
      proxy_set_header Connection close;
{{/keepAlive}}
{{/websocket}}
      proxy_redirect off;
      proxy_max_temp_file_size 0;
{{/grpc}}
      {{module}}_set_header Host $http_host;
      {{module}}_set_header X-Forwarded-For $remote_addr;
      {{module}}_connect_timeout {{connectMs}}ms;
      {{module}}_send_timeout {{#websocket}}{{tunnelIdleMs}}{{/websocket}}{{^websocket}}{{idleMs}}{{/websocket}}ms;
      {{module}}_read_timeout {{#websocket}}{{tunnelIdleMs}}{{/websocket}}{{^websocket}}{{responseMs}}{{/websocket}}ms;
      {{module}}_next_upstream error timeout;
      {{module}}_next_upstream_tries {{tries}};
    }
  }
}
`;

/**
 * nginx, 1.19.5 or newer. With several workers `keepAlive` and `clientConnections` are of each. A request for backends that all have
 * `maxConnections` is answered with 502 at once. After failures to answer a backend is left out for a second, as by the balancer of
 * lbbench. A drain is a reload, which closes idle connections of clients.
 */
export const nginx: BalancerProgram = {
  name: "nginx",
  installation: { title: "nginx", packageName: "nginx" },
  versionArgs: ["-v"],
  templates: { "nginx.conf": TEMPLATE },
  // With `daemon` given here, nginx refuses a template that has it as well: a daemon could not be stopped.
  args: ["-p", FOLDER_PLACE, "-e", "stderr", "-c", "nginx.conf", "-g", `daemon off; pid ${PID_FILE};`],
  policies: {
    // Empty where it is what nginx does anyway.
    "round-robin": { words: { method: "" } },
    "weighted-round-robin": { words: { method: "" } },
    "least-connections": { words: { method: "least_conn" } },
    random: { words: { method: "random" } },
    "power-of-two-choices": { words: { method: "random two least_conn" } },
    "ip-hash": { words: { method: "ip_hash" } },
    "consistent-hash": { words: { method: "hash $uri consistent" } },
    "consistent-hash:header": {
      words: (name) => ({ method: `hash $http_${name.replaceAll("-", "_")} consistent` }),
      // Headers with an underscore nginx throws away.
      names: { pattern: /^[a-z\d-]+$/, allowed: "letters, digits and -" },
    },
    "consistent-hash:cookie": {
      words: (name) => ({ method: `hash $cookie_${name} consistent` }),
      names: { pattern: /^\w+$/, allowed: "letters, digits and _" },
    },
  },
  view: ({ grpc, workers, clientConnections, keepAlive, ejectMs }) => ({
    /** The module that speaks to backends: the first word of its directives, `proxy_pass` or `grpc_pass`. */
    module: grpc ? "grpc" : "proxy",
    user: workerUser(),
    /** Whether its workers have to share what they know of the backends. */
    shared: workers > 1,
    // Every client may have a request under way, and connections that are kept may be to other backends than it needs.
    workerConnections: 2 * clientConnections + keepAlive + OTHER_CONNECTIONS,
    ejectSeconds: Math.ceil(ejectMs / 1000),
    endlessRequests: ENDLESS_REQUESTS,
  }),
  // nginx writes it when it has its port. For some seconds it tries to get a port that another process has.
  isUp: ({ folder }) => access(join(folder, PID_FILE)),
  reload: async (_at, life) => {
    const { old } = await reloadProgram(life, "SIGHUP");
    // Old workers accept no new connection, and end when their requests are answered.
    const { idleLimitMs } = DEFAULTS.faults;
    await waitUntilSeen(() => old.every(isGone), "the former workers to end", idleLimitMs).catch(() => {});
  },
  finishBy: "SIGQUIT",
};

/**
 * User and group for its workers; `null` where nginx cannot choose, because it is not run by root. Root's workers stay root's: another
 * user might not get at the files that are served, which others may not see.
 */
function workerUser(): string | null {
  if (process.getuid?.() !== 0) return null;
  return `${userInfo().username} ${process.platform === "linux" ? "root" : "wheel"}`;
}
