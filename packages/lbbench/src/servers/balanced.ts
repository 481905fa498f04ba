import { resolve } from "node:path";
import { parsePolicy } from "@lbbench/proxy";
import { BALANCER_DEFAULTS } from "@lbbench/proxy/defaults";
import { z } from "zod";
import { builtEntry } from "../child/built-entry.js";
import { describeExit } from "../child/child-died-error.js";
import { forkChild, whileAlive } from "../child/fork.js";
import { DEFAULTS } from "../config/defaults.js";
import type { RunningServer, Server, ServerContext } from "../plugin.js";
import { backendHandlerOption, backendsOption, checkBackends, toGroups } from "./backends-option.js";
import type { BalancerProcess } from "./balancer-process.js";
import { portOption } from "./options.js";
import { nameWithin, startInFront, type StartedBackend } from "./start-in-front.js";

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

const options = z
  .strictObject({
    backends: backendsOption.default(DEFAULTS.balancedBackends),
    handler: backendHandlerOption,
    policy: policyOption.default(DEFAULTS.policy),
    mode: z.enum(["http", "tcp"]).default(BALANCER_DEFAULTS.mode),
    transport: z.enum(["undici", "http-proxy"]).default(BALANCER_DEFAULTS.transport),
    retries: z.int().min(0).default(BALANCER_DEFAULTS.retries),
    port: portOption,
  })
  .superRefine(checkBackends)
  .transform(({ handler, ...rest }) => ({
    ...rest,
    backends: toGroups({ handler, backends: rest.backends }, DEFAULTS.handler),
  }));

type BalancedOptions = z.infer<typeof options>;

/**
 * Backends behind the balancer: sample servers, each in a process of its own, or any others. Options: `backends`,
 * `handler`, `policy`, `mode`, `transport`, `retries`, `port`.
 */
export const balancedServer: Server<BalancedOptions> = {
  name: "balanced",
  options,
  balances: true,
  start: (chosen, context) =>
    startInFront(chosen.backends, context, (backends) => startBalancer(chosen, backends, context)),
};

async function startBalancer(
  { policy, mode, transport, retries, port }: BalancedOptions,
  backends: readonly StartedBackend[],
  context: ServerContext,
): Promise<RunningServer> {
  const name = nameWithin(context, "balancer");
  const child = forkChild<BalancerProcess>(ENTRY, { name, env: context.env });
  try {
    const start = child.call.start({
      balancer: { backends, mode, transport, retries },
      policy: toModulePath(policy, context.folder),
      listen: { port, host: DEFAULTS.host },
    });
    const { url } = await whileAlive(child, start, context.signal);
    return {
      // Whatever is relayed, what is measured is HTTP.
      url: url.replace(/^tcp:/, "http:"),
      processes: [{ pid: child.pid, role: "balancer", name, tree: false }],
      // In mode tcp it knows connections only.
      ...(mode === "http" ? { backends: () => child.call.shares() } : {}),
      died: child.died.then((exit) => `the ${name} ended with ${describeExit(exit)}`),
      stop: child.stop,
    };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** A policy that is a module of the user's is found from the folder of the configuration. */
function toModulePath(policy: string, folder: string): string {
  return policy.startsWith(".") ? resolve(folder, policy) : policy;
}
