import { createBalancer, parsePolicy } from "@lbbench/proxy";
import { serveCalls } from "./serve-calls.mjs";

/** A balancer, as it is built. Its settings are its options, with the policy as text. */
const { policy = "round-robin", ...options } = JSON.parse(process.argv[2] ?? "{}");
const balancer = createBalancer({ ...options, policy: parsePolicy(policy) });
const { port } = await balancer.listen();

serveCalls(
  {
    snapshot: balancer.snapshot,
    /** Bytes of the heap that are in use, after all that is not has been collected. Needs `--expose-gc`. */
    heapBytes: () => {
      globalThis.gc();
      globalThis.gc();
      return process.memoryUsage().heapUsed;
    },
  },
  port,
);
