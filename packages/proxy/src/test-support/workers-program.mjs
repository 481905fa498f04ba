/** Starts workers with the options it is sent, and tells where they are or why not. */
import { once } from "node:events";
import { startBalancerWorkers } from "../../dist/workers/start-balancer-workers.js";

// A message that comes before there is a listener is lost in a worker of a cluster.
process.send?.("ready");
const [options] = await once(process, "message");
try {
  const balancer = await startBalancerWorkers(options);
  process.send?.({ url: balancer.url, pids: balancer.pids() });
} catch (error) {
  process.send?.({ refused: String(error), pids: [] }, () => process.exit(1));
}
