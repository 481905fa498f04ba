import * as z from "zod";
import type { RunningServer, Server, ServerContext } from "../plugin.js";

/** How a fake server behaves. */
export interface FakeServerOptions {
  /** `fake` by default. */
  readonly name?: string;
  /** Where it says that it answers; nothing does. `http://127.0.0.1:1` by default. */
  readonly url?: string;
  /**
   * Called when it is started, with its options and with how often it was started so far, this time included. Throw to
   * make the start fail; return a promise to make it last.
   */
  readonly onStart?: (
    options: Readonly<Record<string, unknown>>,
    start: number,
    context: ServerContext,
  ) => void | Promise<void>;
  /** Called when it is stopped; throw to make that fail. */
  readonly onStop?: () => void | Promise<void>;
}

/** A server plugin that starts nothing, and what it knows of itself. */
export interface FakeServer extends Server {
  /** How often it was started with success. */
  readonly starts: () => number;
  /** How many of these have not been stopped. */
  readonly running: () => number;
  /** Lets all that are running die, with a description of how. */
  readonly die: (how: string) => void;
}

/** Creates a server plugin that accepts any options and starts nothing: neither process nor port. */
export function createFakeServer(behaviour: FakeServerOptions = {}): FakeServer {
  const { name = "fake", url = "http://127.0.0.1:1", onStart, onStop } = behaviour;
  const running = new Map<RunningServer, (how: string) => void>();
  let [attempts, starts] = [0, 0];
  return {
    name,
    options: z.record(z.string(), z.unknown()),
    start: async (options, context) => {
      attempts += 1;
      context.signal.throwIfAborted();
      await onStart?.(options as Readonly<Record<string, unknown>>, attempts, context);
      starts += 1;
      let die: (how: string) => void = () => {};
      const server: RunningServer = {
        url,
        processes: [],
        died: new Promise((resolve) => (die = resolve)),
        stop: async () => {
          if (running.delete(server)) await onStop?.();
        },
      };
      running.set(server, die);
      return server;
    },
    starts: () => starts,
    running: () => running.size,
    die: (how) => {
      for (const die of running.values()) die(how);
    },
  };
}
