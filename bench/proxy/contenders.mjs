/**
 * The proxies that are compared and the backend behind them: what they are, how they are started, each on its core, and how all of them end.
 * No connection is closed for its age or for the requests on it, by anyone: by default nginx closes every connection after 1000 requests.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeFolder } from "../rounds.mjs";

/**
 * In the order of the tables. `node` names a program of `node.mjs`, `options` are those of our balancer; `native` is an installed program;
 * `isRelay` passes bytes without reading them.
 */
export const CONTENDERS = [
  { name: "lbbench-undici", label: "lbbench, `undici`", node: "lbbench", options: { transport: "undici" } },
  { name: "lbbench-http-proxy", label: "lbbench, `http-proxy`", node: "lbbench", options: { transport: "http-proxy" } },
  { name: "lbbench-tcp", label: "lbbench, mode `tcp`", node: "lbbench", options: { mode: "tcp" }, isRelay: true },
  { name: "http-proxy", label: "http-proxy, keep-alive agent", node: "http-proxy", isOther: true },
  { name: "httpxy", label: "httpxy, keep-alive agent", node: "httpxy", isOther: true },
  { name: "http-proxy-3", label: "http-proxy-3, keep-alive agent", node: "http-proxy-3", isOther: true },
  { name: "fast-proxy", label: "fast-proxy, undici", node: "fast-proxy", isOther: true },
  { name: "nginx", label: "nginx, 1 worker", native: "nginx", config: nginxProxy },
  { name: "haproxy-http", label: "haproxy, 1 thread, http", native: "haproxy", config: haproxy("http") },
  { name: "haproxy-tcp", label: "haproxy, 1 thread, tcp", native: "haproxy", config: haproxy("tcp"), isRelay: true },
];

/** A larger young generation for every proxy in Node: with the default, scavenges cost each of them some. */
export const NODE_FLAGS = ["--max-semi-space-size=32"];

const PROGRAM = fileURLToPath(new URL("node.mjs", import.meta.url));
const START_MS = 10_000;
const GRACE_MS = 2000;

/** Core of the contender, and core of the generator and the backend; `undefined` where processes cannot be pinned. */
export const CORES =
  cpus().length > 1 && spawnSync("taskset", ["-c", "1", "true"]).status === 0
    ? { contender: 0, generator: 1 }
    : undefined;

const running = new Set();
const folders = [];

/** Starts a program on the core of its role (`contender` or `generator`), in a process group that ends with the bench. */
export function start(role, program, args, stdio = ["ignore", "ignore", "inherit"]) {
  const [command, ...rest] = CORES ? ["taskset", "-c", String(CORES[role]), program, ...args] : [program, ...args];
  const child = spawn(command, rest, { stdio, detached: true });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** Runs a program to its end and resolves with what it printed. Rejects when it fails. */
export async function output(role, program, args) {
  const child = start(role, program, args.map(String), ["ignore", "pipe", "inherit"]);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => (text += piece));
  const [code, signal] = await once(child, "close");
  if (code === 0) return text;
  throw new Error(`${program} ${args.join(" ")} ended with ${signal ?? code}: ${text}`);
}

/** Starts a program of `node.mjs`; resolves with its process and its ports. */
async function startNode(role, name, ...args) {
  const child = start(
    role,
    process.execPath,
    [...NODE_FLAGS, PROGRAM, name, ...args],
    ["ignore", "inherit", "inherit", "ipc"],
  );
  const [{ ports }] = await Promise.race([
    once(child, "message", { signal: AbortSignal.timeout(START_MS) }),
    once(child, "exit").then(() => Promise.reject(new Error(`${name} ended before it listened; see above.`))),
  ]);
  return { child, ports };
}

/** Starts nginx or haproxy with a configuration made for a folder and ports; resolves when it accepts connections. */
async function startNative(role, program, count, render) {
  const { path: folder } = await makeFolder();
  folders.push(folder);
  // nginx started as root reads it as somebody else.
  await chmod(folder, 0o755);
  const ports = await freePorts(count);
  const file = join(folder, "program.conf");
  writeFileSync(file, render({ folder, ports }));
  const args =
    program === "nginx" ? ["-c", file, "-p", folder, "-e", join(folder, "error.log")] : ["-db", "-q", "-f", file];
  const child = start(role, program, args);
  const deadline = performance.now() + START_MS;
  for (const port of ports) {
    while (!(await accepts(port))) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} ended before it listened.`);
      if (performance.now() > deadline) throw new Error(`${program} did not listen on port ${port} in time.`);
      await sleep(20);
    }
  }
  return { child, ports };
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

async function accepts(port) {
  const socket = connect(port, "127.0.0.1");
  return once(socket, "connect")
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}

/**
 * Starts the backend on `count` ports, nginx with `/small`, `/100k` and `/echo`; the last, which Node answers, is asked only before the
 * measurements. Resolves with its URLs.
 */
export async function startBackend(count) {
  const { ports: answering } = await startNode("generator", "backend", "1");
  const { ports } = await startNative("generator", "nginx", count, ({ folder, ports: own }) => {
    writeFileSync(join(folder, "100k"), HUNDRED_KILOBYTES);
    return nginx(
      folder,
      `  server {
${own.map((port) => `    listen 127.0.0.1:${port} backlog=1024;`).join("\n")}
    default_type text/plain;
    location = /small { return 200 "${SMALL}"; }
    location = /100k { root ${folder}; open_file_cache max=8; open_file_cache_valid 1h; }
    location = /echo { proxy_pass http://127.0.0.1:${answering[0]}; client_body_buffer_size 64k; }
  }`,
    );
  });
  return ports.map((port) => `http://127.0.0.1:${port}`);
}

/** Starts a contender over the backends; resolves with it, its URL and its process id when it listens. */
export async function startContender(contender, backends) {
  const { node, native, options, config } = contender;
  const { child, ports } = native
    ? await startNative("contender", native, 1, ({ folder, ports: [port] }) => config({ folder, port, backends }))
    : await startNode("contender", node, ...(options ? [JSON.stringify(options)] : []), ...backends);
  return { ...contender, pid: child.pid, url: `http://127.0.0.1:${ports[0]}` };
}

/** Ends everything that was started and removes the folders; resolves when that is done. */
export async function endAll() {
  const ending = [...running].map((child) => once(child, "exit"));
  signalAll("SIGTERM");
  await Promise.race([Promise.all(ending), sleep(GRACE_MS, undefined, { ref: false })]);
  endAtOnce();
}

function signalAll(name) {
  for (const { pid } of running) {
    try {
      if (pid !== undefined) process.kill(-pid, name);
    } catch {
      // It ended in the meantime.
    }
  }
}

function endAtOnce() {
  signalAll("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

process.once("exit", endAtOnce);
for (const [name, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])
  process.on(name, () => process.exit(code));

export const SMALL = "a small answer, 20 B";

/** 100 KB that differ from place to place, so that no piece can be lost or swapped unseen. */
export const HUNDRED_KILOBYTES = Buffer.from(
  Array.from({ length: 102_400 }, (_, index) => 32 + (((index * 7919) >> 3) % 95)),
);

/** One worker, keep-alive on both sides, no log, and bodies never on disk. */
function nginxProxy({ folder, port, backends }) {
  return nginx(
    folder,
    `  upstream backends {
${backends.map((url) => `    server ${new URL(url).host};`).join("\n")}
    keepalive 128;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
  }
  server {
    listen 127.0.0.1:${port} backlog=1024;
    location / {
      proxy_pass http://backends;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_max_temp_file_size 0;
      client_body_buffer_size 64k;
    }
  }`,
  );
}

function nginx(folder, body) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join("\n")}
${body}
}
`;
}

/** One thread; `maxconn` is low because haproxy does not start above half of the descriptors. */
function haproxy(mode) {
  return ({ port, backends }) => `global
  nbthread 1
  maxconn 400
defaults
  mode ${mode}
  timeout connect 5s
  timeout client 1h
  timeout server 1h
${mode === "http" ? "  http-reuse always\n" : ""}listen proxy
  bind 127.0.0.1:${port}
  balance roundrobin
${backends.map((url, index) => `  server backend${index} ${new URL(url).host}`).join("\n")}
`;
}
