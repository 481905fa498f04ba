import { Metadata, status, type handleUnaryCall, type sendUnaryData } from "@grpc/grpc-js";
import type { HandlerSpec } from "../handler-spec.js";
import { createWork } from "./create-work.js";
import { callStatus } from "./http-status.js";
import type { Refusal } from "./refusals.js";
import type { WorkReply, WorkRequest } from "./work-method.js";

/** What a service does besides a handler's work. */
export interface WorkServiceOptions {
  /** Whether each answer carries `x-worker`, the id of the process that made it. */
  readonly identify: boolean;
  /** Calls in progress beyond which calls are refused; no limit when `undefined`. */
  readonly maxCalls: number | undefined;
  readonly refuseWith: Refusal;
}

/** The sample service's side of a call, and its counts. */
export interface WorkService {
  readonly answer: handleUnaryCall<WorkRequest, WorkReply>;
  /** Calls received so far. */
  readonly calls: () => number;
  /** Those of them that were refused. */
  readonly refused: () => number;
}

/** Makes a service that does a handler's work, with a state of its own. */
export function workService(handler: HandlerSpec, options: WorkServiceOptions): WorkService {
  const { identify, maxCalls = Infinity, refuseWith } = options;
  const work = createWork(handler);
  const refusal = { code: status[refuseWith], details: `${maxCalls} calls are in progress, and more are not taken` };
  let calls = 0;
  let refused = 0;
  let inProgress = 0;
  return {
    calls: () => calls,
    refused: () => refused,
    answer(call, reply) {
      calls += 1;
      if (identify) call.sendMetadata(workerMetadata());
      if (inProgress >= maxCalls) {
        refused += 1;
        reply(refusal);
        return;
      }
      inProgress += 1;
      let isOpen = true;
      const end = (): void => {
        isOpen = false;
        inProgress -= 1;
      };
      call.on("cancelled", () => {
        if (isOpen) end();
      });
      const begin = (): void => {
        if (!isOpen) return;
        work(call.request, (answer) => {
          if (!isOpen) return;
          end();
          sendAnswer(answer, reply);
        });
      };
      // Work that keeps the processor busy ends before the next call is seen. With a limit, it waits until those that
      // came together have been counted.
      if (maxCalls === Infinity) begin();
      else setImmediate(begin);
    },
  };
}

function sendAnswer(answer: WorkReply, reply: sendUnaryData<WorkReply>): void {
  const code = callStatus(answer.status);
  if (code === status.OK) reply(null, answer);
  else reply({ code, details: `The handler answered with ${answer.status}` });
}

function workerMetadata(): Metadata {
  const metadata = new Metadata();
  metadata.set("x-worker", String(process.pid));
  return metadata;
}
