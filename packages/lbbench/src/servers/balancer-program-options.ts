import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { BackendGroup } from "../model/scenario.js";
import { backendHandlerOption, backendsOption, checkBackends, toGroups } from "./backends-option.js";
import { readDescriptorLimit } from "./descriptor-limit.js";
import { portOption, processesOption, programOption, templateOption } from "./options.js";

/** Descriptors that a program needs beside those of its connections. */
const OTHER_DESCRIPTORS = 100;

/** Both programs take any up to this, and nginx makes 160 entries per unit for a consistent hash. */
const MOST_WEIGHT = 256;

/**
 * As many connections of clients as {@link DEFAULTS}, or as the limit of descriptors leaves room for, where each needs
 * another one to a backend.
 */
function defaultClientConnections(): number {
  const most = DEFAULTS.balancerProgram.clientConnections;
  const limit = readDescriptorLimit();
  return limit === null ? most : Math.max(1, Math.min(most, Math.floor((limit - OTHER_DESCRIPTORS) / 2)));
}

/**
 * The options of a program that balances.
 *
 * @param checkPolicy throws an Error for a policy that the program cannot do.
 */
export function balancerProgramOptions(defaultProgram: string, checkPolicy: (text: string) => unknown) {
  return z
    .strictObject({
      backends: backendsOption.default(DEFAULTS.balancedBackends),
      handler: backendHandlerOption,
      policy: z
        .string()
        .superRefine((text, context) => {
          try {
            checkPolicy(text);
          } catch (error) {
            context.addIssue({
              code: "custom",
              message: error instanceof Error ? error.message : String(error),
              input: text,
            });
          }
        })
        .default(DEFAULTS.policy),
      /** Processes of nginx, threads of HAProxy. */
      workers: processesOption.default(DEFAULTS.balancerProgram.workers),
      /** Idle connections kept to backends; 0 makes one for each request. */
      keepAlive: z.int().min(0).max(65_535).default(DEFAULTS.balancerProgram.keepAlive),
      /** Most connections to one backend; any number without it. */
      maxConnections: z.int().min(1).max(65_535).optional(),
      /** Connections of clients that there has to be room for. */
      clientConnections: z.int().min(1).max(1_000_000).default(defaultClientConnections),
      template: templateOption,
      program: programOption.default(defaultProgram),
      port: portOption,
    })
    .superRefine((chosen, context) => {
      checkBackends(chosen, context);
      if (typeof chosen.backends !== "number") checkWeights(chosen.backends, context);
    })
    .transform(({ handler, ...rest }) => ({
      ...rest,
      backends: toGroups({ handler, backends: rest.backends }, DEFAULTS.handler),
    }));
}

/** The options of a program that balances, checked. */
export type BalancerProgramOptions = z.infer<ReturnType<typeof balancerProgramOptions>>;

function checkWeights(groups: readonly BackendGroup[], context: z.RefinementCtx): void {
  groups.forEach(({ weight }, index) => {
    if (Number.isInteger(weight) && weight <= MOST_WEIGHT) return;
    const message = `expected a whole number of 1 to ${MOST_WEIGHT}`;
    context.addIssue({ code: "custom", path: ["backends", index, "weight"], message, input: weight });
  });
}
