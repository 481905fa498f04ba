import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReadRun } from "./imported-run.js";
import { readOutput } from "./read-output.js";

const PASTES = new URL("./test-support/pastes/", import.meta.url);

/** What a run tells, in one line: `ab at 20: 1000 of 1000 ok in 2520 ms, p50 44 p99 193 max 194`; `–` is what it does not. */
function tell({ program, connections, figures, rate, failure }: ReadRun): string {
  const head = `${program} at ${connections ?? "–"}: `;
  if (figures === undefined) return `${head}${failure}`;
  const { requests, elapsedMs, latency, failedLatency } = figures;
  const { p50 = "–", p99 = "–", max = "–" } = latency ?? failedLatency ?? {};
  const counts =
    rate === undefined ? `${requests.ok} of ${requests.sent} ok in ${Math.round(elapsedMs)} ms` : `${rate} a second`;
  return `${head}${counts}, ${failedLatency === undefined ? "" : "failed "}p50 ${p50} p99 ${p99} max ${max}`;
}

const AB = "ab at 20: 1000 of 1000 ok in 2520 ms, p50 44 p99 193 max 194";
const AB_KEEP = "ab at 50: 2000 of 2000 ok in 1944 ms, p50 43 p99 198 max 198";
const AB_503 = "ab at 10: 0 of 500 ok in 1075 ms, failed p50 17 p99 86 max 86";
const WRK = "wrk at 20: 787 of 787 ok in 2075 ms, p50 40.12 p99 300.15 max 353.36";
const HEY = "hey at –: 1000 of 1000 ok in 1625 ms, p50 29.3 p99 67.8 max 70.4";
const HEY_20 = HEY.replace("–", "20");
const OHA = "oha at –: 1000 of 1000 ok in 1218 ms, p50 21.2 p99 63.5 max 63.5";
const CANNON = "autocannon at 10: 1214 of 1214 ok in 3040 ms, p50 21 p99 69 max 128";

const UNTOLD = ["errors: failures-untold"];
const MADE_UP = ["latency: made-up-latencies"];

interface Expected {
  readonly runs: readonly string[];
  /** What is doubtful, and why, or the lines that contradict each other. */
  readonly doubts?: readonly string[];
  /** Lines that were ignored. */
  readonly ignored?: string;
}

/** By the name of the file: what was done to the output is in it. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  "ab-without-header": { runs: [AB] },
  "ab-doubled-line": { runs: [AB], ignored: 'ignored line 11 "Complete requests: 1000"' },
  "ab-doubled-block": { runs: [AB], ignored: 'ignored lines 37 "Server Software:", 38 "Server Hostname: 127.0.0.1"' },
  "ab-typing-errors": {
    runs: [AB],
    doubts: UNTOLD,
    ignored: 'ignored lines 11 "Faild requests: 0", 14 "Requets per second: 396.87 [#/sec] (mean)"',
  },
  "ab-collapsed-spaces": { runs: [AB] },
  "ab-broken-percentile": { runs: [AB] },
  "ab-other-transfer-rate": {
    runs: [AB],
    doubts: ['other: :12 "Total transferred: 86000 bytes" and :17 "Transfer rate: 53.08 [Kbytes/sec] received"'],
  },
  "ab-other-rate": {
    runs: [AB],
    doubts: [
      'throughput: :10 "Complete requests: 1000" and :9 "Time taken for tests: 2.520 seconds" and :14 "Requests per second: 8399.12 [#/sec] (mean)"',
    ],
  },
  "ab-gave-up": { runs: ["ab at –: ab gave up after 29 requests: apr_socket_recv: Connection reset by peer (104)"] },
  "ab-gave-up-between": { runs: [AB, "ab at 400: ab gave up: apr_socket_recv: Connection refused (111)", AB_KEEP] },
  "ab-blocks": { runs: [AB, AB_KEEP, AB_503] },
  "ab-quoted": { runs: [AB] },
  "ab-indented": { runs: [AB] },
  "ab-ci": { runs: [AB] },
  "ab-html": { runs: ["ab at 10: 300 of 300 ok in 888 ms, p50 – p99 – max 179"] },
  "ab-pre": { runs: [AB] },
  "ab-double-spaced": { runs: [AB] },
  "ab-one-line": { runs: [AB] },
  "ab-cut": { runs: [AB.replace("p99 193", "p99 –")] },
  "ab-rate-in-prose": {
    runs: ["ab at –: 839.12 a second, p50 – p99 – max –"],
    doubts: UNTOLD,
  },
  "wrk-collapsed": { runs: [WRK], doubts: MADE_UP },
  "wrk-without-header": { runs: [WRK.replace("20", "–")], doubts: MADE_UP },
  "wrk-ci": { runs: [WRK], doubts: MADE_UP },
  "wrk-other-count": {
    runs: [WRK.replaceAll("787", "188").replace("2075", "2080")],
    doubts: ['throughput: :11 "188 requests in 2.08s, 102.99KB read" and :12 "Requests/sec: 379.25"'],
  },
  "hey-collapsed": { runs: [HEY] },
  "hey-cut": { runs: [HEY], doubts: UNTOLD },
  "hey-typing-error": { runs: [HEY_20], ignored: 'ignored line 8 "Requsts/sec: 615.5025"' },
  "oha-coloured": { runs: [OHA] },
  "oha-collapsed-in-ms": { runs: [OHA] },
  "oha-timed": { runs: ["oha at –: 0 of 5772 ok in 1002 ms, failed p50 1.7 p99 2.4 max 14.6"] },
  "autocannon-table": { runs: [CANNON] },
  "autocannon-markdown": { runs: ["autocannon at 20: 19824 of 19824 ok in 2020 ms, p50 1 p99 5 max 22"] },
  "autocannon-quoted-json": { runs: ["autocannon at 10: 790 of 790 ok in 2024 ms, p50 21 p99 119 max 120"] },
  "k6-text": { runs: ["k6 at 10: 640 of 640 ok in 2009 ms, p50 31.1 p99 – max 34.59"] },
  "many-programs": { runs: [AB, WRK, HEY_20, CANNON], doubts: MADE_UP },
};

describe("a paste of real output", () => {
  it.each(readdirSync(PASTES))("%s is read as far as it tells anything", (file) => {
    const { runs: expected, doubts = [], ignored } = EXPECTED[file.replace(".txt", "")] ?? { runs: [] };
    const { runs, notes } = readOutput(readFileSync(new URL(file, PASTES)), "p");
    expect(runs.map(tell)).toEqual(expected);
    const doubted = runs.flatMap((run) =>
      run.doubts.map(({ figure, because, lines }) => `${figure}: ${lines ?? because}`),
    );
    expect(doubted.map((one) => one.replaceAll("p:", ":"))).toEqual(doubts);
    expect(notes.map((note) => note.replace(/^p:\S+ /, "").slice(0, ignored?.length))).toEqual([ignored ?? []].flat());
  });
});
