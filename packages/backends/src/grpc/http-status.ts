import { status } from "@grpc/grpc-js";

const GATEWAY_STATUSES: ReadonlyMap<number, number> = new Map([
  [status.UNAVAILABLE, 503],
  [status.RESOURCE_EXHAUSTED, 503],
  [status.DEADLINE_EXCEEDED, 504],
]);

/** Status with which a gateway answers when its call failed with a gRPC status; 502 for what has none of its own. */
export function gatewayStatus(code: number): number {
  return GATEWAY_STATUSES.get(code) ?? 502;
}

/** gRPC status of what a handler answers over HTTP: OK below 500, UNAVAILABLE for 503, INTERNAL for any other 5xx. */
export function callStatus(httpStatus: number): status {
  if (httpStatus < 500) return status.OK;
  return httpStatus === 503 ? status.UNAVAILABLE : status.INTERNAL;
}
