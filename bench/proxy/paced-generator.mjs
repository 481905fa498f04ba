/**
 * Sends GET requests at a fixed rate over keep-alive connections and prints what came of it as JSON:
 * `node paced-generator.mjs URL RATE SECONDS CONNECTIONS`. Answers are small, and have a Content-Length.
 *
 * Requests are due at equal distances, and sent in ticks of 1 ms. Latency is counted from when a request was due, not
 * from when it could be sent: a request that waits for a connection because the contender stalled counts that wait. The
 * tick is in every latency, up to 1 ms of it, whoever is measured.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Requests of the first second are sent but not counted: this process has to be compiled, too. */
const WARMUP_SECONDS = 1;
const TICK_MS = 1;
const LAST_ANSWERS_MS = 2000;
const STATUS_AT = "HTTP/1.1 ".length;
const OK = "2".charCodeAt(0);
const HEAD = /^HTTP\/1\.1 (\d)[^]*?\r\ncontent-length: *(\d+)[^]*?\r\n\r\n/i;

const [target, ...numbers] = process.argv.slice(2);
const { hostname, port, pathname, host } = new URL(target);
const [rate, seconds, connections] = numbers.map(Number);
const perMs = rate / 1000;
const warmup = Math.round(rate * WARMUP_SECONDS);
const total = warmup + Math.round(rate * seconds);
const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

const latencies = new Float64Array(total - warmup);
const idle = [];
let [counted, ended, errors, sent] = [0, 0, 0, 0];
let startedAt = 0;
/** What is read into, by all connections in turn. */
const memory = Buffer.allocUnsafeSlow(65_536);
/** Length of the last answer that was read as text. One that comes as long, in one piece, is only looked at for its status. */
let knownLength = -1;

function end(index, ok) {
  ended += 1;
  if (index < warmup) return;
  if (!ok) errors += 1;
  else latencies[counted++] = performance.now() - (startedAt + index / perMs);
}

async function open() {
  const connection = { socket: undefined, index: -1 };
  let text = "";
  function answered(ok) {
    end(connection.index, ok);
    connection.index = -1;
    idle.push(connection);
    sendDue();
  }
  // The cheapest way to read that Node documents: this process shares its core with the backend.
  function callback(size) {
    if (size === knownLength && text === "") {
      answered(memory[STATUS_AT] === OK);
      return true;
    }
    text += memory.toString("latin1", 0, size);
    const [head, status, length] = HEAD.exec(text) ?? [];
    if (head === undefined || text.length < head.length + Number(length)) return true;
    knownLength = text.length;
    text = "";
    answered(status === "2");
    return true;
  }
  const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer: memory, callback } });
  connection.socket = socket;
  await once(socket, "connect");
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    const at = idle.indexOf(connection);
    if (at !== -1) idle.splice(at, 1);
    if (connection.index !== -1) end(connection.index, false);
    // A connection that cannot be made ends this program, with its error.
    if (ended < total) void open();
  });
  idle.push(connection);
}

function sendDue() {
  // How many are due by now; the first one is due at 0.
  const due = Math.min(total, Math.floor((performance.now() - startedAt) * perMs) + 1);
  while (sent < due && idle.length > 0) {
    // The one that has been idle longest, so that all of them are in use at any rate.
    const connection = idle.shift();
    connection.index = sent;
    sent += 1;
    connection.socket.write(request);
  }
}

await Promise.all(Array.from({ length: connections }, open));
startedAt = performance.now();
const scheduleEnd = startedAt + total / perMs;
while (ended < total && performance.now() < scheduleEnd + LAST_ANSWERS_MS) {
  await sleep(TICK_MS);
  sendDue();
}
// What has not been answered by now, or could not even be sent, failed.
errors += total - ended;
const sorted = latencies.subarray(0, counted).sort();
const quantile = (share) => (counted === 0 ? null : Number(sorted[Math.ceil(share * counted) - 1].toFixed(3)));
console.log(JSON.stringify({ sent, p50: quantile(0.5), p99: quantile(0.99), errors }));
process.exit();
