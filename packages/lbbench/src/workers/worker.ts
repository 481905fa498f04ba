/** `lbbench worker`: does what a master asks by a generator process, so that heartbeats go on while that is busy. */
import { randomUUID } from "node:crypto";
import { availableParallelism, hostname } from "node:os";
import type { ConnectedWorker } from "@lbbench/worker";
import { TOKEN_VARIABLE } from "../config/defaults.js";
import type { Generator } from "../engines/generator.js";
import { GENERATOR_ENTRY } from "../engines/generators.js";
import type { Child } from "../model/child.js";
import { TOOL } from "../own-package.js";
import type { Address } from "../stats/url-address.js";
import { ChildDiedError, createChildPool, whileAlive } from "../system/fork.js";
import { machineShares, readMachineTimes } from "../system/proc.js";
import { deferred, inTime } from "../system/settle.js";
import { limitLoads, openCalls, WorkerError, type CrewCalls, type WorkerCalls } from "./calls.js";
import { importWorkerPackage } from "./master.js";

/** How a worker has ended, in words, and whether all was well. */
export interface WorkerEnd {
  readonly isFine: boolean;
  readonly reason: string;
}

/**
 * Connects to a master and does what it asks until it says that it is over, is silent for 10 s, a load takes longer than it can, or the
 * signal aborts; or does not know the token. Nothing that it has started is left. Rejects with a `StartError` where the package with the protocol is missing.
 * `token` is the secret of the run; `onReady` is told when the master has answered.
 */
export async function runWorker(
  master: Address,
  { token, signal, onReady }: Readonly<{ token: string; signal: AbortSignal; onReady: (id: string) => void }>,
): Promise<WorkerEnd> {
  const { connectWorker } = await importWorkerPackage();
  const pool = createChildPool("generator");
  const host = hostname();
  // Of what is before the _ Locust takes the machine.
  const id = `${host.replaceAll(/[^A-Za-z0-9.-]/g, "-")}_${randomUUID()}`;
  const over = deferred<WorkerEnd>();
  const limit = limitLoads(() => over.resolve({ isFine: false, reason: "A load took longer than it can." }));
  let spawned = deferred<number>();
  const generator = (): Child<Generator> => pool.acquire<Generator>(GENERATOR_ENTRY, 1)[0] as Child<Generator>;
  /** Asks the generator. */
  const ask = async <T>(call: (generator: Child<Generator>["call"]) => Promise<T>): Promise<T> => {
    const child = generator();
    return limit.within(whileAlive(child, call(child.call))).catch((error: unknown) => {
      if (!(error instanceof ChildDiedError)) throw error;
      throw new WorkerError("WORKER_LOST", `its generator died: ${error.message}`);
    });
  };
  /** A load that is over does not mind. */
  const cut = (): void =>
    void generator()
      .call.cut()
      .catch(() => {});
  /** Waits until Locust has started its users here. */
  const expectUsers = async (users: number): Promise<void> => {
    const given = await spawned.promise;
    if (given === users) return;
    throw new WorkerError("WORKERS_DIFFER", `Locust started ${given} users there, its share is ${users}`);
  };
  const functions: WorkerCalls = {
    prepare: (load) => {
      limit.begin(load);
      spawned = deferred();
      return ask((call) => call.prepare(load));
    },
    fill: ({ limitMs, users }) => ask((call) => expectUsers(users).then(() => call.fill(limitMs))),
    settle: (limitMs) => ask((call) => call.settle(limitMs)),
    run: ({ leadMs, users, durationMs }) => {
      limit.extend(durationMs);
      return ask(async (call) => {
        if (users !== undefined) await expectUsers(users);
        const before = readMachineTimes();
        const running = call.run(process.hrtime.bigint() + BigInt(Math.round(leadMs * 1e6)), durationMs);
        void calls.started.asEvent();
        const report = await running;
        const { requests, endUs } = report.record;
        const { sent, ok, inFlight } = requests;
        connected.report({ requests: sent, failures: sent - ok - inFlight, durationMs: endUs / 1000 });
        return { ...report, machineCpu: machineShares(before, readMachineTimes()).machine };
      });
    },
    progress: (second) => ask((call) => call.progress(second)),
    cut: () => {
      spawned.reject(new WorkerError("WORKER_LOST", "it was stopped before it started"));
      cut();
    },
    dismiss: (reason) => over.resolve({ isFine: false, reason }),
  };
  const line = { token, end: "worker", worker: id } as const;
  const { calls, receive } = openCalls<CrewCalls, WorkerCalls>(functions, line, (text) => connected.sendText(text));
  const connected = connectWorker(master.host, master.port, id, {
    onReady: () => {
      void calls.hello.asEvent({ version: TOOL.version, host, cores: availableParallelism() });
      onReady(id);
    },
    onSpawn: (users) => spawned.resolve(users),
    onStop: cut,
    onText: (text) => {
      const heard = receive(text);
      if (heard !== "read") over.resolve(ENDS[heard]);
    },
  });
  void connected.ended.then((why) => over.resolve(ENDS[why]));
  const end = await inTime(over.promise, { signal }).catch(() => ENDS.interrupted);
  await Promise.all([connected.leave(), pool.close()]);
  return end;
}

const ENDS: Readonly<Record<Awaited<ConnectedWorker["ended"]> | "stranger" | "gap" | "interrupted", WorkerEnd>> = {
  quit: { isFine: true, reason: "The master has ended." },
  left: { isFine: true, reason: "It has left." },
  interrupted: { isFine: true, reason: "Interrupted." },
  silent: { isFine: false, reason: "The master was silent for 10 s." },
  gap: { isFine: false, reason: "A message of the master was lost on the way." },
  unanswered: { isFine: false, reason: "No master answered for 5 minutes." },
  stranger: {
    isFine: false,
    reason: `The master there has another token than ${TOKEN_VARIABLE} here. Set it as the run tells that is waiting for workers.`,
  },
};
