/**
 * TLS handshakes: what the balancer, a bare TLS server of Node, nginx and HAProxy make of one core, by the client of OpenSSL, which makes them
 * one after the other; and what the engine makes of one core beside that client, each with one request on a connection.
 */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startServer } from "lbbench/testing";
import { processTree, readProcStat } from "../../packages/lbbench/dist/system/proc.js";
import { inTurn, pin, runOn, startChild, sweepOn } from "../rounds.mjs";

const CORES = { server: "0", load: "1" };
const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const certificate = (name) => here(`../packages/test-support/src/certificates/${name}.pem`);

/** The keys of the certificates, by the file of each and the address where nginx and HAProxy show it. */
const KEYS = {
  ec: { file: "localhost", address: "127.0.0.2" },
  rsa: { file: "shop-rsa", address: "127.0.0.3" },
};

/** What is compared: the key, the version, and whether sessions are resumed. With 1.3 this client reads no ticket. */
const HANDSHAKES = {
  fullEc: { key: "ec", flags: ["-tls1_3", "-new"] },
  fullRsa: { key: "rsa", flags: ["-tls1_3", "-new"] },
  resumed: { key: "ec", flags: ["-tls1_2", "-reuse"] },
};

/** Processor time of a process and all that descend from it. */
const cpuMs = (root) => processTree(root).reduce((sum, pid) => sum + (readProcStat(pid)?.cpuMs ?? 0), 0);

/** Processor time of all programs that this process has run to their end. */
const reapedMs = () => readProcStat(process.pid).reapedCpuMs;

/** Makes handshakes for so long; resolves with their rate, and with the processor time of server and client for each, in us. */
async function shakeHands({ host, pid }, flags, seconds) {
  const before = cpuMs(pid);
  const clientBefore = reapedMs();
  const text = await runOn(CORES.load, "openssl", "s_time", "-connect", host, ...flags, "-time", seconds);
  const cpuUs = (cpuMs(pid) - before) * 1000;
  const clientUs = (reapedMs() - clientBefore) * 1000;
  const handshakes = Number(/^(\d+) connections in \d+ real seconds/m.exec(text)?.[1]);
  // It prints a letter for each connection, some more than it counts: `*` is a full handshake.
  const [marks = ""] = /^[*trE]{2,}$/m.exec(text) ?? [];
  const expected = flags.includes("-reuse") ? /^r*$/ : /^\**$/;
  if (!(handshakes > 0) || !expected.test(marks)) {
    throw new Error(`expected handshakes of openssl s_time that are all ${expected}, got:\n${text.slice(-300)}`);
  }
  return { rate: handshakes / seconds, cpuUs: cpuUs / handshakes, clientUs: clientUs / handshakes };
}

/** The same by the engine, with a request on each connection: it does without those that are not ok. */
async function byEngine({ host }, flags, seconds) {
  const load = ["--no-keepalive", "--insecure", "-c", 10, "-d", `${seconds}s`, "--warmup", "1s", "--generators", 1];
  const { measurement, usage } = await sweepOn(CORES.load, `https://${host}/`, "--engine", "wire", ...load, ...flags);
  const { requests, connections, elapsedMs, opening } = measurement;
  const failed = requests.sent - requests.ok - requests.inFlight;
  const { full, resumed } = opening.tls;
  if (failed > 0 || Math.min(full, resumed) > 10) {
    throw new Error(
      `expected handshakes of one kind, got ${full} in full, ${resumed} resumed and ${failed} failed requests`,
    );
  }
  const rate = connections.established / (elapsedMs / 1000);
  return { rate, clientUs: (usage.generator.reduce((sum, { cpu }) => sum + cpu, 0) / rate) * 1e6 };
}

/** Starts a program of others with its configuration, and the files of each key by the names that it wants. */
function startOther(command, configuration, namesOf) {
  const pair = ([key, { file }]) =>
    ["cert", "key"].map((part, at) => [namesOf(key)[at], certificate(`${file}-${part}`)]);
  const files = Object.fromEntries(Object.entries(KEYS).flatMap(pair));
  return startServer("command", { command, files: { config: here(configuration), ...files }, readyPath: "/" });
}

const startNginx = () =>
  startOther(["nginx", "-p", "{folder}", "-e", "stderr", "-c", "config"], "tls/server.conf", (key) => [
    `${key}-cert.pem`,
    `${key}-key.pem`,
  ]);

const startHaproxy = () =>
  startOther(["haproxy", "-f", "{folder}/config"], "tls/haproxy.cfg", (key) => [`${key}.pem`, `${key}.pem.key`]);

/** Starts the balancer, or Node's own TLS server. */
async function startInNode(name, { file }) {
  const [cert, key] = await Promise.all(
    ["cert", "key"].map((part) => readFile(certificate(`${file}-${part}`), "utf8")),
  );
  // It is sent no request.
  const backends = JSON.stringify(["http://127.0.0.1:1"]);
  const options = JSON.stringify({ tls: { cert, key } });
  return startChild(here("proxy/node.mjs"), [name, backends, options], ["--max-semi-space-size=32"]);
}

export const tlsBench = {
  needs: ["nginx", "haproxy", "openssl"],
  rounds: 5,
  inParts: true,
  async open({ quick, quietly, after }) {
    const others = {};
    for (const [name, start] of Object.entries({ nginx: startNginx, haproxy: startHaproxy })) {
      const other = await start();
      after(other.stop);
      const [{ pid }] = other.processes;
      pin(CORES.server, pid);
      others[name] = { pid, port: new URL(other.url).port };
    }
    const servers = {};
    for (const [key, { file, address }] of Object.entries(KEYS)) {
      const inNode = {};
      for (const [name, program] of Object.entries({ ours: "lbbench", node: "node:tls" })) {
        const { pid, ready, stop } = await startInNode(program, { file });
        after(stop);
        pin(CORES.server, pid);
        inNode[name] = { pid, host: `127.0.0.1:${ready}` };
      }
      servers[key] = {
        ...inNode,
        ...Object.fromEntries(
          Object.entries(others).map(([name, { pid, port }]) => [name, { pid, host: `${address}:${port}` }]),
        ),
      };
    }
    const seconds = quick ? 1 : 3;
    const comparisons = Object.fromEntries(
      Object.entries(HANDSHAKES).map(([name, { key, flags }]) => {
        const work = ([server, place]) => [server, () => shakeHands(place, flags, seconds)];
        return [name, Object.fromEntries(Object.entries(servers[key]).map(work))];
      }),
    );
    comparisons.generators = {
      wire: () => byEngine(servers.ec.nginx, ["--tls-version", "1.3"], seconds),
      openssl: () => shakeHands(servers.ec.nginx, [...HANDSHAKES.fullEc.flags, "-www", "/"], seconds),
    };
    // A server in Node is slower in its first seconds.
    for (const { ours, node } of Object.values(comparisons)) {
      await ours?.();
      await node?.();
    }
    return (index) => {
      const works = Object.entries(comparisons).map(([name, each]) => [
        name,
        () => quietly(name, () => inTurn(index, each)),
      ]);
      return inTurn(index, Object.fromEntries(works));
    };
  },
  rows: [
    ...[
      ["fullEc", "full TLS 1.3 handshakes for a second of processor time, EC key"],
      ["fullRsa", "the same, RSA key of 2,048 bits"],
      ["resumed", "resumed TLS 1.2 handshakes for a second of processor time"],
    ].flatMap(([part, title]) =>
      [
        ["a TLS server of Node alone", "node", 0.95],
        ["nginx", "nginx", 0.8],
        ["HAProxy", "haproxy", 0.8],
      ].map(([called, other, atLeast]) => ({
        title: `${title}: balancer / ${called}`,
        atLeast,
        value: ({ [part]: figures }) => figures?.[other].cpuUs / figures?.ours.cpuUs,
        parts: [part],
      })),
    ),
    {
      title:
        "full TLS 1.3 handshakes, each with a request, for a second of the client's processor time, EC key: `wire` / `openssl s_time`",
      atLeast: 0.8,
      value: ({ generators }) => generators?.openssl.clientUs / generators?.wire.clientUs,
      parts: ["generators"],
    },
  ],
};
