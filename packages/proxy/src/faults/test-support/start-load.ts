import { Agent, request } from "node:http";
import { onTestFinished } from "vitest";

/** What became of one request. */
export interface Outcome {
  /** As backends note it: `GET /7`. */
  readonly id: string;
  /** Absent when no complete answer came. */
  readonly status?: number;
  /** The backend that the answer names. */
  readonly backend?: string;
  /** Why no complete answer came. */
  readonly error?: string;
}

/** Requests that are under way. */
export interface Load {
  /** Resolves when this many more have ended than had when it was called. */
  readonly more: (count: number) => Promise<void>;
  /** Sends nothing more; resolves with all outcomes when the last request has ended. */
  readonly stop: () => Promise<readonly Outcome[]>;
}

/** How load is made. */
export interface LoadOptions {
  /** The method of the nth request; what is not GET has a body. GET by default. */
  readonly methodOf?: (index: number) => "GET" | "POST";
  /** Connections, with one request at a time on each. */
  readonly connections?: number;
}

const BODY = "b".repeat(256);

/** Sends requests with a number of their own each, as fast as they are answered, over connections that are kept, until it is stopped. */
export function startLoad(url: string, options: LoadOptions = {}): Load {
  const { methodOf = () => "GET", connections = 50 } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const outcomes: Outcome[] = [];
  const waiting = new Set<{ readonly count: number; readonly resolve: () => void }>();
  let sent = 0;
  let stopped = false;
  onTestFinished(() => {
    stopped = true;
    agent.destroy();
  });

  async function sendOneByOne(): Promise<void> {
    while (!stopped) {
      const index = sent++;
      outcomes.push(await sendOne(agent, methodOf(index), url, `/${index}`));
      for (const waiter of waiting) {
        if (outcomes.length < waiter.count) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
    }
  }

  const ended = Promise.all(Array.from({ length: connections }, sendOneByOne)).then(() => {
    agent.destroy();
    return outcomes;
  });
  return {
    more: (more) =>
      new Promise((resolve) => {
        waiting.add({ count: outcomes.length + more, resolve });
      }),
    stop: () => {
      stopped = true;
      return ended;
    },
  };
}

function sendOne(agent: Agent, method: "GET" | "POST", url: string, path: string): Promise<Outcome> {
  const id = `${method} ${path}`;
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ id, error: error.message });
    const sending = request(url + path, { agent, method }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      const backend = headers["x-backend"];
      answer.on("error", fail).resume();
      answer.on("end", () => {
        if (answer.complete) resolve({ id, status, ...(typeof backend === "string" ? { backend } : {}) });
      });
    });
    sending.on("error", fail);
    sending.end(method === "GET" ? undefined : BODY);
  });
}
