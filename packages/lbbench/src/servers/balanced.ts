import { parsePolicy } from "@lbbench/proxy";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { z } from "zod";
import { builtEntry } from "../child/built-entry.js";
import { describeExit } from "../child/child-died-error.js";
import { forkChild, whileAlive } from "../child/fork.js";
import { createTeardown } from "../child/teardown.js";
import { DEFAULTS } from "../config/defaults.js";
import type { RunningServer, Server, ServerContext } from "../plugin.js";
import type { BalancerProcess } from "./balancer-process.js";
import { handlerOption, portOption, processesOption } from "./options.js";
import { startBackend } from "./start-backend.js";
import { StartError } from "./start-error.js";

const ENTRY = builtEntry(import.meta.url, "./balancer-process.js");

/** A policy as text, such as `consistent-hash:header:x-user`, or the path of a module, which is seen when it is loaded. */
const policyOption = z.string().superRefine((text, context) => {
  if (/^[./@]/.test(text)) return;
  try {
    parsePolicy(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error), input: text });
  }
});

const options = z.strictObject({
  backends: processesOption.default(DEFAULTS.balancedBackends),
  handler: handlerOption,
  policy: policyOption.default(DEFAULTS.policy),
  mode: z.enum(["http", "tcp"]).default(BALANCER_DEFAULTS.mode),
  transport: z.enum(["undici", "http-proxy"]).default(BALANCER_DEFAULTS.transport),
  retries: z.int().min(0).default(BALANCER_DEFAULTS.retries),
  port: portOption,
});

type BalancedOptions = z.infer<typeof options>;

/**
 * Sample backends, each in a process of its own, behind the balancer. Options: `backends`, `handler`, `policy`, `mode`,
 * `transport`, `retries`, `port`.
 */
export const balancedServer: Server<BalancedOptions> = {
  name: "balanced",
  options,
  start: async (chosen, context) => {
    const teardown = createTeardown();
    try {
      const backends = await startBackends(chosen, context, teardown.add);
      return await startBalancer(chosen, backends, context, teardown);
    } catch (error) {
      await teardown.run();
      if (context.signal.aborted || error instanceof StartError) throw error;
      throw new StartError(
        `The balancer could not be started: ${error instanceof Error ? error.message : String(error)}`,
        {
          cause: error,
        },
      );
    }
  },
};

async function startBackends(
  chosen: BalancedOptions,
  context: ServerContext,
  whenStarted: (stop: () => Promise<void>) => void,
): Promise<readonly RunningServer[]> {
  const starts = Array.from({ length: chosen.backends }, async (_, index) => {
    const backend = await startBackend(
      `backend-${index + 1}`,
      { handler: chosen.handler, port: 0, host: DEFAULTS.host },
      context,
    );
    whenStarted(backend.stop);
    return backend;
  });
  // All of them, so that one that starts after another has failed is stopped as well.
  const outcomes = await Promise.allSettled(starts);
  return outcomes.map((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  });
}

async function startBalancer(
  { policy, mode, transport, retries, port }: BalancedOptions,
  backends: readonly RunningServer[],
  context: ServerContext,
  teardown: ReturnType<typeof createTeardown>,
): Promise<RunningServer> {
  const child = forkChild<BalancerProcess>(ENTRY, { name: "balancer" });
  teardown.add(child.stop);
  const named = backends.map(({ url }, index) => ({ url, name: `backend-${index + 1}` }));
  const start = child.call.start({
    balancer: { backends: named, mode, transport, retries },
    policy,
    listen: { port, host: DEFAULTS.host },
  });
  const { url } = await whileAlive(child, start, context.signal);
  let stopping: Promise<void> | undefined;
  return {
    // Whatever is relayed, what is measured is HTTP.
    url: url.replace(/^tcp:/, "http:"),
    processes: [
      { pid: child.pid, role: "balancer", name: "balancer", tree: false },
      ...backends.flatMap((backend) => backend.processes),
    ],
    // In mode tcp it knows connections only.
    ...(mode === "http" ? { backends: () => child.call.shares() } : {}),
    died: Promise.race([
      child.died.then((exit) => `the balancer ended with ${describeExit(exit)}`),
      ...backends.map((backend) => backend.died),
    ]),
    stop: () => (stopping ??= teardown.run()),
  };
}
