import type { PoolOptions } from "@lbbench/backends";
import { POOL_DEFAULTS } from "@lbbench/backends/defaults";
import { OVERLOAD_POLICIES, REFUSALS } from "@lbbench/backends/options";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import type { Server } from "../plugin.js";
import { handlerOption, portOption } from "./options.js";
import { startBackend } from "./start-backend.js";

const MOST_THREADS = 256;
const LONGEST_QUEUE = 1_000_000;

const options = z
  .strictObject({
    handler: handlerOption,
    pool: z.int().min(1).max(MOST_THREADS).optional(),
    queue: z.int().min(0).max(LONGEST_QUEUE).optional(),
    policy: z.enum(OVERLOAD_POLICIES).default(POOL_DEFAULTS.policy),
    refusal: z.enum(REFUSALS).default(POOL_DEFAULTS.refusal),
    retryAfterS: z.int().min(0).default(POOL_DEFAULTS.retryAfterS),
    /** Port of an admin server, whose `/stats` tells what the pool has counted. */
    adminPort: portOption.unwrap().optional(),
    port: portOption,
  })
  .superRefine(({ policy, pool = 1, queue = 0 }, context) => {
    if (policy !== "simple") return;
    const only = `expected no other than 1 thread and no queue with the policy "simple", which serves one request at a time`;
    if (pool !== 1) context.addIssue({ code: "custom", path: ["pool"], message: only, input: pool });
    if (queue !== 0) context.addIssue({ code: "custom", path: ["queue"], message: only, input: queue });
  })
  .transform(({ pool, queue, ...rest }) => ({
    ...rest,
    pool: pool ?? (rest.policy === "simple" ? 1 : POOL_DEFAULTS.pool),
    queue: queue ?? (rest.policy === "simple" ? 0 : POOL_DEFAULTS.queue),
  }));

/**
 * A sample server whose requests are served by a fixed number of threads, with a queue between and a policy for when it is
 * full. Options: `pool`, `queue`, `policy`, `refusal`, `retryAfterS`, `handler`, `adminPort`, `port`.
 */
export const poolServer: Server<z.infer<typeof options>> = {
  name: "pool",
  options,
  start: ({ adminPort, ...chosen }, context) => {
    const admin: Pick<PoolOptions, "adminPort"> = adminPort === undefined ? {} : { adminPort };
    return startBackend("pool", { kind: "pool", options: { ...chosen, ...admin, host: DEFAULTS.host } }, context);
  },
};
