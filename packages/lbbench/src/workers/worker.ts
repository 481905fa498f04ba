/** `lbbench worker`: a generator process on this machine that a master asks, and how both sides speak. */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { availableParallelism, hostname } from "node:os";
import { createBirpc, type BirpcReturn } from "birpc";
import type { SessionEnd } from "@lbbench/worker";
import type { Child } from "../model/child.js";
import type { Generator, GeneratorLoad, GeneratorProgress, GeneratorReport } from "../engines/generator.js";
import type { Fill } from "../engines/load-run.js";
import { GENERATOR_ENTRY } from "../engines/generators.js";
import { TOKEN_VARIABLE } from "../config/defaults.js";
import { TOOL } from "../own-package.js";
import type { Address } from "../stats/url-address.js";
import { createChildPool, whileAlive } from "../system/fork.js";
import { machineShares, readMachineTimes } from "../system/proc.js";
import { importWorkerPackage } from "./master.js";

/** A worker died, fell silent, left, or came back in the middle of a load (`WORKER_LOST`); or did what it was not asked (`WORKERS_DIFFER`). */
export class WorkerError extends Error {
  override readonly name = "WorkerError";

  constructor(
    readonly code: "WORKER_LOST" | "WORKERS_DIFFER",
    message: string,
  ) {
    super(message);
  }
}

/** A promise, and what settles it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

/** Makes a promise that is settled from outside; a rejection that nobody waits for is none of a bug. */
export function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  promise.catch(() => {});
  return { promise, ...(settle as unknown as Omit<Deferred<T>, "promise">) };
}

/** An answer (of nothing, without a value), or why there is none. */
export type Answer<T> = { readonly value: T } | { readonly code: WorkerError["code"]; readonly message: string };

/** What a worker says of itself when it comes. */
export interface Hello {
  readonly version: string;
  readonly host: string;
  readonly cores: number;
}

/** What a worker is to do when Locust starts its users, or with a load that goes on when it is told. */
export interface RunOrder {
  /** How long before the start of the schedule the generator is called, in ms. */
  readonly leadMs: number;
  /** How many users Locust is expected to start here; absent where `fill` has started them. */
  readonly users?: number;
  /** How long it lasts, in place of what the level says. */
  readonly durationMs?: number;
}

/** What a worker is to begin when Locust starts its users. */
export interface FillOrder extends Required<Pick<RunOrder, "users">> {
  readonly limitMs: number;
}

/** What a worker reports. */
export interface WorkerReport extends GeneratorReport {
  /** Busy share of all cores of its machine meanwhile, 0 to 1. */
  readonly machineCpu: number;
}

/** What the master's side can ask a worker. */
export interface WorkerCalls {
  prepare(load: GeneratorLoad): Promise<Answer<void>>;
  fill(order: FillOrder): Promise<Answer<Fill>>;
  settle(limitMs: number): Promise<Answer<Fill>>;
  run(order: RunOrder): Promise<Answer<WorkerReport>>;
  progress(second: number): Promise<Answer<GeneratorProgress>>;
  cut(): void;
  /** Ends the worker, which says why. */
  dismiss(reason: string): void;
}

/** What a worker can tell the master's side. */
export interface CrewCalls {
  hello(hello: Hello): void;
  /** Its generator has been started. */
  started(): void;
}

/** One end of what a master and a worker say to each other. */
export interface Line {
  /** What both know, and nobody else. */
  readonly token: string;
  readonly end: "master" | "worker";
  /** Id of the worker. */
  readonly worker: string;
}

/**
 * Opens calls over texts, both ways. Each text is signed with the token and numbered (HMAC-SHA256, RFC 2104), so that nobody else who reaches
 * the port can call either end, and nothing is heard twice. `receive` returns whether a text was signed by the other end; no other is read.
 */
export function openCalls<Remote extends object, Own extends object>(
  own: Own,
  { token, end, worker }: Line,
  send: (text: string) => void,
) {
  const sign = (from: string, number: number, text: string): string =>
    createHmac("sha256", token).update(`${from} ${worker} ${number} ${text}`).digest("base64url");
  let read: (text: string) => void = () => {};
  let [sent, heard] = [0, 0];
  const calls: BirpcReturn<Remote, Own> = createBirpc<Remote, Own>(own, {
    post: (text: string) => {
      sent += 1;
      send(`${sent} ${sign(end, sent, text)} ${text}`);
    },
    on: (listener) => (read = listener),
    serialize: (call) => JSON.stringify(call),
    deserialize: (text: string) => JSON.parse(text) as unknown,
    timeout: -1,
  });
  const receive = (signed: string): boolean => {
    const [, number = "", signature = "", text = ""] = /^(\d{1,15}) (\S+) ([^]*)$/.exec(signed) ?? [];
    const expected = sign(end === "master" ? "worker" : "master", Number(number), text);
    const isSigned =
      signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
    if (!isSigned || Number(number) <= heard) return false;
    heard = Number(number);
    read(text);
    return true;
  };
  return { calls, receive };
}

/** How a worker has ended, in words, and whether all was well. */
export interface WorkerEnd {
  readonly isFine: boolean;
  readonly reason: string;
}

/** How a worker is run. */
export interface WorkerOptions {
  /** The secret of the run. */
  readonly token: string;
  readonly signal: AbortSignal;
  /** Told when the master has answered. */
  readonly onReady: (id: string) => void;
}

/** Longer than a load lasts and its last answers take a worker does not live without a new one, in ms. */
const OVERTIME_MS = 30_000;

/**
 * Connects to a master and does what it asks until it says that it is over, is silent for 10 s, a load takes longer than it can, or the
 * signal aborts; or does not know the token. Nothing that it has started is left. Rejects with a `StartError` where the package with the protocol is missing.
 */
export async function runWorker(master: Address, { token, signal, onReady }: WorkerOptions): Promise<WorkerEnd> {
  const { connectWorker } = await importWorkerPackage();
  const pool = createChildPool("generator");
  const host = hostname();
  // Of what is before the _ Locust takes the machine.
  const id = `${host.replaceAll(/[^A-Za-z0-9.-]/g, "-")}_${randomUUID()}`;
  const over = deferred<WorkerEnd>();
  const generator = (): Child<Generator> => pool.acquire<Generator>(GENERATOR_ENTRY, 1)[0] as Child<Generator>;
  let durationMs = Infinity;
  let spawned = deferred<number>();
  const asked = <T>(call: (child: Child<Generator>) => Promise<T>): Promise<Answer<T>> => {
    const child = generator();
    return whileAlive(child, call(child)).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (error instanceof WorkerError) return { code: error.code, message: error.message };
        const isDead = error instanceof Error && "code" in error && error.code === "CHILD_DIED";
        if (isDead) return { code: "WORKER_LOST" as const, message: `its generator died: ${error.message}` };
        throw error;
      },
    );
  };
  /** A generator that hangs must not keep this worker for ever; a load by a number of requests has no limit. */
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const end = (): void => over.resolve({ isFine: false, reason: "A load took longer than it can." });
    const timer = durationMs === Infinity ? undefined : setTimeout(end, durationMs + OVERTIME_MS);
    return answer.finally(() => clearTimeout(timer));
  };
  /** Waits until Locust has started its users here. */
  const expectUsers = async (users: number): Promise<void> => {
    const given = await spawned.promise;
    if (given === users) return;
    throw new WorkerError("WORKERS_DIFFER", `Locust started ${given} users there, its share is ${users}`);
  };
  const { calls, receive } = openCalls<CrewCalls, WorkerCalls>(
    {
      prepare: (load) => {
        const { durationMs: lastsMs = Infinity } = load.level;
        durationMs = lastsMs + load.timeoutMs;
        spawned = deferred();
        return inTime(asked(({ call }) => call.prepare(load)));
      },
      fill: ({ limitMs, users }) =>
        inTime(
          asked(async ({ call }) => {
            await expectUsers(users);
            return call.fill(limitMs);
          }),
        ),
      settle: (limitMs) => inTime(asked(({ call }) => call.settle(limitMs))),
      run: ({ leadMs, users, durationMs: lastsMs }) => {
        if (lastsMs !== undefined) durationMs = Math.max(durationMs, lastsMs);
        return inTime(
          asked(async ({ call }) => {
            if (users !== undefined) await expectUsers(users);
            const before = readMachineTimes();
            const startNs = process.hrtime.bigint() + BigInt(Math.round(leadMs * 1e6));
            const running = call.run(startNs, lastsMs);
            void calls.started.asEvent();
            const report = await running;
            const { sent, ok, inFlight } = report.record.requests;
            connected.report({
              requests: sent,
              failures: sent - ok - inFlight,
              durationMs: report.record.endUs / 1000,
            });
            return { ...report, machineCpu: machineShares(before, readMachineTimes()).machine };
          }),
        );
      },
      progress: (second) => asked(({ call }) => call.progress(second)),
      cut: () => {
        spawned.reject(new WorkerError("WORKER_LOST", "it was stopped before it started"));
        generator()
          .call.cut()
          .catch(() => {});
      },
      dismiss: (reason) => over.resolve({ isFine: false, reason }),
    },
    { token, end: "worker", worker: id },
    (text) => connected.sendText(text),
  );
  const connected = connectWorker(master.host, master.port, id, {
    onReady: () => {
      void calls.hello.asEvent({ version: TOOL.version, host, cores: availableParallelism() });
      onReady(id);
    },
    onSpawn: (users) => spawned.resolve(users),
    // A load that is over does not mind.
    onStop: () =>
      void generator()
        .call.cut()
        .catch(() => {}),
    onText: (text) => {
      if (!receive(text)) over.resolve(STRANGER);
    },
  });
  void connected.ended.then((why) => over.resolve(ENDS[why]));
  const interrupt = (): void => over.resolve({ isFine: true, reason: "Interrupted." });
  if (signal.aborted) interrupt();
  signal.addEventListener("abort", interrupt, { once: true });
  const end = await over.promise;
  signal.removeEventListener("abort", interrupt);
  await Promise.all([connected.leave(), pool.close()]);
  return end;
}

const STRANGER: WorkerEnd = {
  isFine: false,
  reason: `The master there has another token than ${TOKEN_VARIABLE} here. Set it as the run tells that is waiting for workers.`,
};

const ENDS: Readonly<Record<SessionEnd | "left", WorkerEnd>> = {
  quit: { isFine: true, reason: "The master has ended." },
  left: { isFine: true, reason: "It has left." },
  silent: { isFine: false, reason: "The master was silent for 10 s." },
  unanswered: { isFine: false, reason: "No master answered for 5 minutes." },
};
