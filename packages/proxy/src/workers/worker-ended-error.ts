import { BalancerListenError } from "../balancer-listen-error.js";

/** A worker ended before it answered; as a listening error when it ended before it listened. */
export class WorkerEndedError extends BalancerListenError {
  constructor(pid: number | undefined, how: string) {
    super(`Worker ${pid ?? "that could not be started"}: ended ${how}. What it said of it is in the standard error.`);
  }
}
