/** What is known of the gRPC sample without speaking gRPC. */
import { PROTO_FILE } from "./own-package.js";

/** What a client needs to drive the gRPC sample server: where its `.proto` file is, and what is called. */
export const GRPC_SAMPLE = Object.freeze({
  /** Absolute path; the file lies beside `src` and `dist` and is part of the package. */
  protoFile: PROTO_FILE,
  /** Full name of the service. */
  service: "lbbench.sample.Work",
  /** Its unary method. */
  method: "Do",
});

/** Statuses with which calls beyond the limit can be refused. */
export const GRPC_REFUSALS = Object.freeze(["UNAVAILABLE", "RESOURCE_EXHAUSTED"] as const);

/** One of the statuses with which calls beyond the limit can be refused. */
export type GrpcRefusal = (typeof GRPC_REFUSALS)[number];
