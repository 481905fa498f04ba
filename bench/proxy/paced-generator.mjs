/**
 * Sends GET requests at a fixed rate over keep-alive connections and prints what came of it as JSON:
 * `node paced-generator.mjs URL RATE SECONDS [CONNECTIONS]`.
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
const HEAD_END = "\r\n\r\n";

const [target, rateText, secondsText, connectionsText = "50"] = process.argv.slice(2);
const { hostname, port, pathname, host } = new URL(target);
const rate = Number(rateText);
const perMs = rate / 1000;
const warmup = Math.round(rate * WARMUP_SECONDS);
const total = warmup + Math.round(rate * Number(secondsText));
const request = Buffer.from(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);

const latencies = new Float64Array(total - warmup);
const idle = [];
let counted = 0;
let ended = 0;
let errors = 0;
let sent = 0;
let startedAt = 0;
let lastAt = 0;
let latestTick = 0;

const dueAt = (index) => startedAt + index / perMs;

function end(index, ok) {
  ended += 1;
  if (index < warmup) return;
  if (!ok) errors += 1;
  else {
    lastAt = performance.now();
    latencies[counted] = lastAt - dueAt(index);
    counted += 1;
  }
}

async function open() {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, "connect");
  const connection = { socket, index: -1 };
  const read = createAnswerReader((ok) => {
    end(connection.index, ok);
    connection.index = -1;
    idle.push(connection);
    sendDue();
  });
  socket.on("data", read);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    const at = idle.indexOf(connection);
    if (at !== -1) idle.splice(at, 1);
    if (connection.index !== -1) end(connection.index, false);
    if (ended < total) open().catch(fail);
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

function fail(error) {
  console.error(error.message);
  process.exit(1);
}

/**
 * Reads answers with a Content-Length off one connection: `read(chunk)` calls `onAnswer(ok)` at the last byte of each;
 * `ok` is whether its status is 2xx. Throws an `Error` on any other framing.
 */
function createAnswerReader(onAnswer) {
  let head;
  let left = 0;
  let ok = false;

  function readHead(bytes) {
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) return { head: bytes };
    const text = bytes.latin1Slice(0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    if (length === null) throw new Error(`Expected an answer with a Content-Length, got:\n${text}`);
    ok = text[9] === "2";
    left = Number(length[1]);
    return { rest: bytes.subarray(end + HEAD_END.length) };
  }

  return function read(chunk) {
    let bytes = chunk;
    for (;;) {
      if (left === 0) {
        if (bytes.length === 0) return;
        const { head: incomplete, rest } = readHead(head === undefined ? bytes : Buffer.concat([head, bytes]));
        head = incomplete;
        if (rest === undefined) return;
        bytes = rest;
      }
      if (bytes.length < left) {
        left -= bytes.length;
        return;
      }
      bytes = bytes.subarray(left);
      left = 0;
      onAnswer(ok);
    }
  };
}

await Promise.all(Array.from({ length: Number(connectionsText) }, open)).catch(fail);
startedAt = performance.now();
const scheduleEnd = startedAt + total / perMs;
let tickedAt = startedAt;
while (ended < total && performance.now() < scheduleEnd + LAST_ANSWERS_MS) {
  await sleep(TICK_MS);
  const now = performance.now();
  if (sent > warmup && sent < total) latestTick = Math.max(latestTick, now - tickedAt);
  tickedAt = now;
  sendDue();
}

// What has not been answered by now, or could not even be sent, failed.
errors += total - ended;
const sorted = latencies.subarray(0, counted).sort();
const quantile = (share) => (counted === 0 ? null : Number(sorted[Math.ceil(share * counted) - 1].toFixed(3)));
const seconds = Math.max(Number(secondsText), (lastAt - dueAt(warmup)) / 1000);
const figures = {
  p50: quantile(0.5),
  p99: quantile(0.99),
  max: quantile(1),
  errors,
  latestTick: Number(latestTick.toFixed(3)),
};
console.log(JSON.stringify({ rate, achieved: Math.round(counted / seconds), ...figures }));
process.exit();
