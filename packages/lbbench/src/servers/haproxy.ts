import net from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { BalancerProgram, ProgramPlace, SeenBackend } from "./balancer-program.js";
import { reloadProgram } from "./program-lives.js";

/** In the folder of the configuration. */
const STATS_SOCKET = "stats.sock";

/**
 * The configuration of HAProxy in front of backends, as a Mustache template. Of clients it takes HTTP/1.1 and HTTP/2 alike: it knows
 * HTTP/2 without TLS by its preface.
 */
const TEMPLATE = `global
  nbthread {{workers}}
  maxconn {{clientConnections}}
  stats socket {{statsSocket}} mode 600 level admin
{{#keepAlive}}
  tune.pool-low-fd-ratio 100
  tune.pool-high-fd-ratio 100
{{/keepAlive}}

defaults
  mode http
  option redispatch 1
  retries {{retries}}
  timeout connect {{connectMs}}ms
  timeout client {{idleMs}}ms
  timeout server {{responseMs}}ms
  timeout tunnel {{tunnelIdleMs}}ms
  timeout queue {{queueMs}}ms
  timeout http-request {{headMs}}ms
  timeout http-keep-alive {{keepAliveMs}}ms

frontend clients
  bind {{host}}:{{port}}{{#tls}} ssl crt {{identity}} alpn h2,http/1.1{{/tls}}
  backlog {{backlog}}
  option forwardfor
  default_backend backends

backend backends
  balance {{algorithm}}
{{#consistent}}
  hash-type consistent
{{/consistent}}
{{#keepAlive}}
  option http-keep-alive
  http-reuse always
{{/keepAlive}}
{{^keepAlive}}
  option http-server-close
  http-reuse never
{{/keepAlive}}
{{#backends}}
  server {{name}} {{address}}{{#grpc}} proto h2{{/grpc}} weight {{weight}}{{#maxConnections}} maxconn {{maxConnections}}{{/maxConnections}}{{#keepAlive}} pool-max-conn {{keepAlive}}{{/keepAlive}}
{{/backends}}
`;

/**
 * HAProxy, 2.6 or newer for a hash of cookies, else 2.2. `keepAlive` is for each backend. A request for a backend that has
 * `maxConnections` waits for ten seconds at most. No backend is ever left out: a request that cannot be sent to one is sent to another,
 * once. It runs as a master with one worker; requests that a worker got just before a reload may not be counted.
 */
export const haproxy: BalancerProgram = {
  name: "haproxy",
  installation: { title: "HAProxy", packageName: "haproxy" },
  versionArgs: ["-v"],
  templates: { "haproxy.cfg": TEMPLATE },
  socket: STATS_SOCKET,
  // Master and worker, because a reload starts new workers; in the foreground, also if a template says otherwise.
  args: ["-W", "-db", "-f", "haproxy.cfg"],
  policies: {
    "round-robin": { words: by("roundrobin") },
    "weighted-round-robin": { words: by("roundrobin") },
    "least-connections": { words: by("leastconn") },
    random: { words: by("random(1)") },
    "power-of-two-choices": { words: by("random(2)") },
    "ip-hash": { words: by("source") },
    "consistent-hash": { words: by("uri", true) },
    "consistent-hash:header": { words: (name) => by(`hdr(${name})`, true) },
    "consistent-hash:cookie": { words: (name) => by(`hash req.cook(${name})`, true) },
  },
  view: () => ({
    /**
     * Where it is asked for its counts: with a `stats socket` there, and the servers called by their names, shares are its own. With
     * `level admin` they can be drained.
     * Relative to the folder, because the path of a socket may not be long.
     */
    statsSocket: `unix@${STATS_SOCKET}`,
  }),
  // Its socket tells it apart from another program that has just taken the port.
  isUp: async (at) => at.isOurs && look(at),
  look,
  drain: async ({ folder }, name, isDrained) => {
    const proxy = readServers(await ask(folder, SHOW_SERVERS)).find((field) => field("svname") === name)?.("pxname");
    const answer = await ask(folder, `set server ${proxy}/${name} state ${isDrained ? "drain" : "ready"}`);
    // A socket without `level admin` refuses it.
    if (answer.trim() !== "") throw new Error(`HAProxy refuses it: ${answer.trim()}`);
  },
  reload: (_at, life) => reloadProgram(life, "SIGUSR2"),
  finishBy: "SIGUSR1",
};

/** What follows `balance`, and whether most keys stay where they are when a backend comes or goes. */
function by(algorithm: string, consistent = false) {
  return { algorithm, consistent };
}

/** Every proxy (-1), servers only (4), every one of them (-1). */
const SHOW_SERVERS = "show stat -1 4 -1";

/** The answer to one command; rejects where there is no socket. */
async function ask(folder: string, command: string): Promise<string> {
  const socket = net.connect({ path: join(folder, STATS_SOCKET), signal: AbortSignal.timeout(5000) });
  socket.write(`${command}\n`);
  return text(socket);
}

async function look({ folder }: ProgramPlace): Promise<ReadonlyMap<string, SeenBackend>> {
  return parseServerStats(await ask(folder, SHOW_SERVERS));
}

/** Reads the answer to `show stat`, which is CSV: of each server what tells its fields by name. */
function readServers(answer: string): readonly ((name: string) => string)[] {
  const [heading = [], ...servers] = answer.split("\n").map((line) => line.replace(/^# /, "").split(","));
  return servers.map((fields) => (name) => fields[heading.indexOf(name)] ?? "");
}

/** What each server got, by its name; an answer that is something else names none of ours. */
export function parseServerStats(answer: string): ReadonlyMap<string, SeenBackend> {
  return new Map(
    readServers(answer).map((field) => {
      // Failures to connect, and answers that were none or broke off.
      const errors = Number(field("econ")) + Number(field("eresp"));
      const share = { requests: Number(field("stot")), errors };
      return [
        field("svname"),
        { share, isDrained: field("status").startsWith("DRAIN"), active: Number(field("scur")) },
      ];
    }),
  );
}
