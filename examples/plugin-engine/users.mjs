/**
 * The process that generates the load. Each connection of the level is a user, who sends the next request when the last one is
 * answered. It is told its load by a message, tells its progress, and at the end what it has counted.
 */
import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { build, encodeIntoCompressedBase64 } from "hdr-histogram-js";

/** @typedef {"ok" | "non2xx" | "mismatched" | "connectErrors" | "resets" | "dropped" | "timedOut" | "inFlight"} Outcome */

const FAILURES = { non2xx: 0, mismatched: 0, connectErrors: 0, resets: 0, dropped: 0, timedOut: 0, inFlight: 0 };
const requests = { sent: 0, ok: 0, ...FAILURES };
const connections = { opened: 0, established: 0 };
/** @type {Record<string, number>} */
const statusCodes = {};
/** @type {Record<string, number>} */
const errorCodes = {};
/** Latency of ok answers in microseconds; its size does not depend on how many there are. */
const histogram = build({ bitBucketSize: 32, autoResize: true, numberOfSignificantValueDigits: 3 });
/** @type {Set<() => void>} */
const cuts = new Set();
let [bodyBytes, beganMs, lastMs, left] = [0, 0, 0, Infinity];

process.on("message", (message) => (message === "stop" ? stop("cut") : void run(/** @type {never} */ (message))));
process.on("disconnect", () => process.exit());
process.on("SIGINT", () => {});

/** @param {import("lbbench/plugin").Load} load */
async function run(load) {
  const startedAt = new Date().toISOString();
  const cpu = process.cpuUsage();
  left = load.level.requests ?? Infinity;
  beganMs = performance.now();
  const timer = setTimeout(stop, load.level.durationMs ?? 2 ** 31 - 1, load.atEnd);
  const ticks = setInterval(() => process.send?.({ progress: tellProgress() }), 250);
  await Promise.all(Array.from({ length: load.level.connections ?? 1 }, () => beUser(load)));
  clearTimeout(timer);
  clearInterval(ticks);
  const { user, system } = process.cpuUsage(cpu);
  const elapsedMs = lastMs - beganMs;
  const used = { cpu: (user + system) / 1000 / elapsedMs, rssBytes: process.memoryUsage.rss() };
  process.send?.({ done: { startedAt, elapsedMs, ...used, ...tellAll() } });
}

/** @param {import("lbbench/plugin").Load["atEnd"]} how */
function stop(how) {
  left = 0;
  if (how === "cut") for (const cut of cuts) cut();
}

/** @param {import("lbbench/plugin").Load} load */
async function beUser(load) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let opened = 0;
  const onConnect = () => {
    connections.established += 1;
    connections.opened += opened === 0 ? 1 : 0;
    opened += 1;
  };
  while (left > 0) {
    left -= 1;
    const outcome = await send(load, agent, onConnect);
    requests[outcome] += 1;
    lastMs = performance.now();
    // Where nothing listens, trying again at once would be a load on this machine only.
    if (outcome === "connectErrors") await sleep(10);
  }
  agent.destroy();
}

/**
 * Sends a request; resolves with what became of it.
 *
 * @param {import("lbbench/plugin").Load} load
 * @param {Agent} agent
 * @param {() => void} onConnect
 * @returns {Promise<Outcome>}
 */
function send({ url, request: { method, path, headers, body, bodyEncoding }, timeoutMs }, agent, onConnect) {
  const sentMs = performance.now();
  requests.sent += 1;
  const { origin, pathname, search } = new URL(url);
  const outgoing = request(origin + (pathname === "/" && search === "" ? path : pathname + search), { agent, method });
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  return new Promise((resolve) => {
    /** @param {Outcome} outcome */
    const end = (outcome) => {
      clearTimeout(timer);
      cuts.delete(cut);
      resolve(outcome);
      if (outcome !== "ok" && outcome !== "non2xx") outgoing.destroy();
    };
    const cut = () => end("inFlight");
    const timer = setTimeout(end, timeoutMs, "timedOut");
    cuts.add(cut);
    let isConnected = false;
    outgoing.on("socket", (socket) => {
      isConnected = !socket.connecting;
      if (isConnected) return;
      socket.once("connect", () => {
        isConnected = true;
        onConnect();
      });
    });
    outgoing.on("response", (answer) => {
      const status = answer.statusCode ?? 0;
      answer.on("data", (chunk) => (bodyBytes += chunk.length));
      answer.on("error", () => end("dropped"));
      answer.on("end", () => {
        statusCodes[status] = (statusCodes[status] ?? 0) + 1;
        if (status < 200 || status > 299) return end("non2xx");
        histogram.recordValue(Math.max(1, Math.round((performance.now() - sentMs) * 1000)));
        end("ok");
      });
    });
    outgoing.on("error", (/** @type {NodeJS.ErrnoException} */ { code = "", message }) => {
      if (!cuts.has(cut)) return;
      errorCodes[code] = (errorCodes[code] ?? 0) + 1;
      if (code.startsWith("HPE_")) end("mismatched");
      else if (!isConnected) end("connectErrors");
      else end(message === "socket hang up" ? "dropped" : "resets");
    });
    // An answer may switch to another protocol, which ends what Node knows of the request.
    outgoing.on("upgrade", ({ statusCode = 0 }, socket) => {
      statusCodes[statusCode] = (statusCodes[statusCode] ?? 0) + 1;
      socket.destroy();
      end("non2xx");
    });
    outgoing.end(body === null ? undefined : Buffer.from(body, bodyEncoding));
  });
}

function tellProgress() {
  return { sent: requests.sent, done: requests.sent - cuts.size, elapsedMs: performance.now() - beganMs };
}

function tellAll() {
  const { minNonZeroValue: min, mean, stdDeviation: stddev, maxValue: max } = histogram;
  /** @param {number} percentage */
  const at = (percentage) => histogram.getValueAtPercentile(percentage);
  const percentiles = { p50: at(50), p75: at(75), p90: at(90), p95: at(95), p99: at(99), p999: at(99.9) };
  const us = Object.entries({ min, mean, stddev, max, ...percentiles });
  const latency = Object.fromEntries(us.map(([name, value]) => [name, value / 1000]));
  const answered = requests.ok === 0 ? {} : { latency, histogram: encodeIntoCompressedBase64(histogram) };
  return { requests, connections, statusCodes, errorCodes, bytes: { body: bodyBytes }, ...answered };
}
