import type { MethodDefinition } from "@grpc/grpc-js";
import { load, type ServiceDefinition } from "@grpc/proto-loader";
import { GRPC_SAMPLE } from "./grpc-sample.js";

/** A request as the `.proto` file has it. */
export interface WorkRequest {
  readonly body: Buffer;
  /** Empty when there is none. */
  readonly contentType: string;
}

/** A reply as the `.proto` file has it. */
export interface WorkReply {
  /** HTTP status of the same answer over HTTP. */
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** The sample service's method: its path, and how its messages become bytes and back. */
export type WorkMethod = MethodDefinition<WorkRequest, WorkReply>;

/** Reads the `.proto` file; fields that were not sent have their default. */
export async function loadWorkMethod(): Promise<WorkMethod> {
  const definition = await load(GRPC_SAMPLE.protoFile, { defaults: true });
  // Both names are those of our own file, and a test calls the method.
  const service = definition[GRPC_SAMPLE.service] as ServiceDefinition;
  return service[GRPC_SAMPLE.method] as unknown as WorkMethod;
}
