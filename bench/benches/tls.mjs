/** TLS handshakes: what the balancer and nginx make of one core, by the client of OpenSSL, which makes them one after the other. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startServer } from "lbbench/testing";
import { processTree, readProcStat } from "../../packages/lbbench/dist/system/proc.js";
import { inTurn, pin, runOn, startChild } from "../rounds.mjs";

const CORES = { server: "0", load: "1" };
const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const certificate = (name) => here(`../packages/test-support/src/certificates/${name}.pem`);

/** The keys of the certificates, by the file of each and the address where nginx shows it. */
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

/** Makes handshakes for so long; resolves with their rate, and with the processor time of the server for each, in us. */
async function shakeHands({ host, pid }, flags, seconds) {
  const before = cpuMs(pid);
  const text = await runOn(CORES.load, "openssl", "s_time", "-connect", host, ...flags, "-time", seconds);
  const cpuUs = (cpuMs(pid) - before) * 1000;
  const handshakes = Number(/^(\d+) connections in \d+ real seconds/m.exec(text)?.[1]);
  // It prints a letter for each connection, some more than it counts: `*` is a full handshake.
  const [marks = ""] = /^[*trE]{2,}$/m.exec(text) ?? [];
  const expected = flags.includes("-reuse") ? /^r*$/ : /^\**$/;
  if (!(handshakes > 0) || !expected.test(marks)) {
    throw new Error(`expected handshakes of openssl s_time that are all ${expected}, got:\n${text.slice(-300)}`);
  }
  return { rate: handshakes / seconds, cpuUs: cpuUs / handshakes };
}

async function startNginx() {
  const pair = ([key, { file }]) =>
    ["cert", "key"].map((part) => [`${key}-${part}.pem`, certificate(`${file}-${part}`)]);
  const files = Object.fromEntries(Object.entries(KEYS).flatMap(pair));
  const command = ["nginx", "-p", "{folder}", "-e", "stderr", "-c", "nginx.conf"];
  return startServer("command", {
    command,
    files: { "nginx.conf": here("tls/server.conf"), ...files },
    readyPath: "/",
  });
}

async function startBalancer({ file }) {
  const [cert, key] = await Promise.all(
    ["cert", "key"].map((part) => readFile(certificate(`${file}-${part}`), "utf8")),
  );
  // It is sent no request.
  const backends = JSON.stringify(["http://127.0.0.1:1"]);
  const options = JSON.stringify({ tls: { cert, key } });
  return startChild(here("proxy/node.mjs"), ["lbbench", backends, options], ["--max-semi-space-size=32"]);
}

export const tlsBench = {
  needs: ["nginx", "openssl"],
  rounds: 5,
  inParts: true,
  async open({ quick, quietly, after }) {
    const nginx = await startNginx();
    after(nginx.stop);
    const { port } = new URL(nginx.url);
    const [{ pid }] = nginx.processes;
    pin(CORES.server, pid);
    const servers = {};
    for (const [key, { file, address }] of Object.entries(KEYS)) {
      const balancer = await startBalancer({ file });
      after(balancer.stop);
      pin(CORES.server, balancer.pid);
      servers[key] = {
        ours: { pid: balancer.pid, host: `127.0.0.1:${balancer.ready}` },
        nginx: { pid, host: `${address}:${port}` },
      };
    }
    const seconds = quick ? 1 : 3;
    const comparisons = Object.fromEntries(
      Object.entries(HANDSHAKES).map(([name, { key, flags }]) => {
        const { ours, nginx: other } = servers[key];
        return [name, { ours: () => shakeHands(ours, flags, seconds), nginx: () => shakeHands(other, flags, seconds) }];
      }),
    );
    // A server in Node is slower in its first seconds.
    for (const { ours } of Object.values(comparisons)) await ours();
    return (index) => {
      const works = Object.entries(comparisons).map(([name, each]) => [
        name,
        () => quietly(name, () => inTurn(index, each)),
      ]);
      return inTurn(index, Object.fromEntries(works));
    };
  },
  rows: [
    ["fullEc", "full TLS 1.3 handshakes for a second of processor time, EC key: balancer / nginx"],
    ["fullRsa", "the same, RSA key of 2,048 bits: balancer / nginx"],
    ["resumed", "resumed TLS 1.2 handshakes for a second of processor time: balancer / nginx"],
  ].map(([part, title]) => ({
    title,
    atLeast: 0.8,
    value: ({ [part]: figures }) => figures?.nginx.cpuUs / figures?.ours.cpuUs,
    parts: [part],
  })),
};
