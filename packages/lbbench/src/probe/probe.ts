import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import type { LoopReading } from "./loop-utilization.js";

/** A process that can be asked. */
export interface Probe {
  /** Resolves with `undefined` when it is gone, or has not answered within a second. */
  readonly ask: () => Promise<LoopReading | undefined>;
}

/**
 * How long an answer is waited for. A server that was overloaded first works off what it had read when the load ended;
 * a sweep need not wait for all of that.
 */
const ANSWER_LIMIT_MS = 1000;

/** Longest line that a probe has to say. */
const LINE_LIMIT = 200;

type Answer = Pick<LoopReading, "idleMs" | "activeMs"> | undefined;

/**
 * Takes a connection for a probe if it begins with the token and its pid, and keeps it in `probes` until it closes. The
 * names of abstract sockets are for everybody to see: whoever does not know the token is not listened to.
 */
export function followProbe(socket: Socket, token: string, probes: Map<number, Probe>): void {
  let rest = "";
  let pid: number | undefined;
  const waiting: ((answer: Answer) => void)[] = [];
  const probe: Probe = {
    ask: () =>
      new Promise((resolve) => {
        const atMs = performance.now();
        const timer = setTimeout(() => resolve(undefined), ANSWER_LIMIT_MS);
        waiting.push((answer) => {
          clearTimeout(timer);
          resolve(answer === undefined ? undefined : { ...answer, atMs });
        });
        socket.write("?");
      }),
  };
  const hear = (line: string): void => {
    if (pid !== undefined) {
      waiting.shift()?.(parseAnswer(line));
      return;
    }
    pid = parseGreeting(line, token);
    if (pid === undefined) socket.destroy();
    else probes.set(pid, probe);
  };
  socket.setEncoding("utf8");
  socket.unref();
  socket.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) hear(line);
    if (rest.length > LINE_LIMIT) socket.destroy();
  });
  socket.on("error", () => {});
  socket.once("close", () => {
    if (pid !== undefined && probes.get(pid) === probe) probes.delete(pid);
    for (const answer of waiting.splice(0)) answer(undefined);
  });
}

function parseGreeting(line: string, token: string): number | undefined {
  const [said, pid, ...more] = line.split(" ");
  return said === token && pid !== undefined && /^\d{1,10}$/.test(pid) && more.length === 0 ? Number(pid) : undefined;
}

function parseAnswer(line: string): Answer {
  const [idleMs = Number.NaN, activeMs = Number.NaN] = line.split(" ").map(Number);
  return idleMs >= 0 && activeMs >= 0 ? { idleMs, activeMs } : undefined;
}
