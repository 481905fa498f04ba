import { builtEntry, createChildPool, forkChild, whileAlive } from "../system/fork.js";
import { createTeardown } from "../system/teardown.js";
import { DEFAULTS } from "../config/defaults.js";
import { resolveRequest } from "../config/requests.js";
import { autocannonEngine } from "../engines/autocannon/engine.js";
import type { Load } from "../plugin.js";
import type { Calibration } from "./diagnosis.js";
import type { Responder } from "./responder-process.js";
import { failedRequests } from "../stats/request-counts.js";

const ENTRY = builtEntry(import.meta.url, "./responder-process.js");

const CONNECTIONS = 50;
const WARMUP_MS = 500;
const DURATION_MS = 1500;

/**
 * Measures how many requests per second the load generator can make of a server in a process of its own that does next to
 * nothing. Leaves nothing behind; rejects when the signal aborts.
 */
export async function calibrate(signal: AbortSignal): Promise<Calibration> {
  const teardown = createTeardown();
  try {
    const responder = forkChild<Responder>(ENTRY, { name: "responder" });
    teardown.add(responder.stop);
    const children = createChildPool("generator");
    teardown.add(children.close);
    const load: Load = {
      url: await whileAlive(responder, responder.call.listen(), signal),
      level: { connections: CONNECTIONS, durationMs: DURATION_MS },
      request: resolveRequest({}),
      timeoutMs: DEFAULTS.timeoutMs,
      keepAlive: true,
      options: {},
      atEnd: "cut",
      generators: 1,
    };
    const context = { signal, children, folder: "." };
    await autocannonEngine.run({ ...load, level: { ...load.level, durationMs: WARMUP_MS }, atEnd: "drain" }, context);
    let serverCpuMs = 0;
    const { measurement, generators } = await autocannonEngine.run(load, {
      ...context,
      onStart: async () => {
        serverCpuMs = await responder.call.cpuMs();
      },
    });
    const usedMs = (await whileAlive(responder, responder.call.cpuMs(), signal)) - serverCpuMs;
    signal.throwIfAborted();
    const { requests, throughput, latency, elapsedMs } = measurement;
    return {
      requestsPerSecond: throughput,
      p99Ms: latency?.p99 ?? null,
      connections: CONNECTIONS,
      generatorCpu: Math.max(0, ...generators.map(({ cpu }) => cpu)),
      generatorLoop: Math.max(0, ...generators.map(({ eventLoopUtilization }) => eventLoopUtilization ?? 0)),
      serverCpu: usedMs / elapsedMs,
      failed: failedRequests(requests),
    };
  } finally {
    await teardown.undo();
  }
}
