import { performance } from "node:perf_hooks";
import autocannon from "autocannon";
import type { Load } from "../../plugin.js";
import { expectedStatus } from "../../stats/expected-status.js";
import { startProcessMeter, type OwnUsage } from "../process-meter.js";
import type { LoadRecord } from "../record.js";
import { createRecorder, type Recorder } from "../recorder.js";
import { requestBytes } from "../request-bytes.js";
import type { AutocannonClient } from "./autocannon-client.js";
import { createLoadRun, type OwnedLoadRun } from "./load-run.js";
import { measureClient, type RequestPlan } from "./measuring-client.js";

/** What a generator process recorded and used; `gone` when it gave up because nothing answered any more. */
export interface GeneratorReport {
  readonly record: LoadRecord;
  readonly usage: OwnUsage;
  readonly gone: boolean;
}

/** The share of a load that one generator process takes. */
export interface GeneratorLoad extends Load {
  /** Whether its record has to be merged with those of others. */
  readonly mergeable: boolean;
}

/** What the engine can ask a generator process to do; one load at a time. */
export interface Generator {
  /** Takes the load that `run` is to send. */
  readonly prepare: (load: GeneratorLoad) => void;
  /** Sends the prepared load and reports; times count from `startNs`, a reading of `process.hrtime.bigint()`. */
  readonly run: (startNs: bigint) => Promise<GeneratorReport>;
  readonly progress: () => { readonly sent: number; readonly done: number };
  /** Ends a run that is under way at once. */
  readonly cut: () => void;
}

/** How often autocannon looks whether it has been stopped, and we whether the target still answers. */
const LOOK_INTERVAL_MS = 20;
/** The time is ours to keep: longer than any run, and short enough for a timer. */
const NEVER_S = 2_000_000;

/** Creates the functions of a generator process. */
export function createGenerator(): Generator {
  let prepared: { readonly load: GeneratorLoad; readonly recorder: Recorder } | undefined;
  let current: OwnedLoadRun | undefined;
  let recorder: Recorder | undefined;
  return {
    prepare: (load) => {
      if (current !== undefined) throw new Error("A generator was given a load while it was still sending another");
      recorder = createRecorder(load.mergeable);
      prepared = { load, recorder };
    },
    run: async (startNs) => {
      if (prepared === undefined) throw new Error("A generator was asked to run before it was given a load");
      const { load } = prepared;
      const offsetUs = Number(process.hrtime.bigint() - startNs) / 1000 - performance.now() * 1000;
      current = createLoadRun(prepared.recorder, load.level.requests, offsetUs);
      prepared = undefined;
      try {
        return await generate(load, current);
      } finally {
        current = undefined;
      }
    },
    progress: () => recorder?.counts() ?? { sent: 0, done: 0 },
    cut: () => current?.cut(),
  };
}

async function generate(load: GeneratorLoad, run: OwnedLoadRun): Promise<GeneratorReport> {
  const instance = startAutocannon(load, run);
  const meter = startProcessMeter();
  let gone = false;
  run.sawLife();
  run.startUsers();
  const { durationMs } = load.level;
  const timers = durationMs === undefined ? [] : [setTimeout(load.atEnd === "cut" ? run.cut : run.drain, durationMs)];
  const watch = setInterval(() => {
    if (run.unreachableMs() < load.timeoutMs) return;
    gone = true;
    run.cut();
  }, LOOK_INTERVAL_MS);
  const { inFlight, stoppedUs } = await run.ended;
  const usage = meter.stop();
  clearInterval(watch);
  for (const timer of timers) clearTimeout(timer);
  instance.stop();
  await instance;
  return { record: run.recorder.finish(inFlight, stoppedUs), usage, gone };
}

/** The part of what autocannon returns that the published types leave out: it is a promise and can be stopped. */
type StoppableRun = PromiseLike<unknown> & Pick<autocannon.Instance, "stop">;

function startAutocannon(load: GeneratorLoad, run: OwnedLoadRun): StoppableRun {
  const url = new URL(load.url);
  const plan: RequestPlan = {
    bytes: requestBytes(url, load.request, load.keepAlive),
    isHead: load.request.method === "HEAD",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(url.port) || (url.protocol === "https:" ? 443 : 80),
    timeoutMs: load.timeoutMs,
    isExpected: expectedStatus(load.request.expectStatus),
    expectBody: load.request.expectBody === null ? null : Buffer.from(load.request.expectBody, "utf8"),
  };
  const options = {
    url: url.href,
    connections: load.level.connections,
    duration: NEVER_S,
    sampleInt: LOOK_INTERVAL_MS,
    setupClient: (client: unknown) => measureClient(client as AutocannonClient, run, plan),
  };
  return autocannon(options) as unknown as StoppableRun;
}
