import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";

const MOST_CHANNELS = 10_000;

/** What can be said about how the engine calls. */
export const grpcOptions = z.strictObject({
  /** File that declares the service; the sample service's without it. */
  proto: z.string().min(1).optional(),
  /**
   * The unary method, `package.Service/Method`. Not needed for the sample service, nor for a file with a single unary
   * method.
   */
  call: z
    .string()
    .regex(/^[^\s/]+[./][^\s./]+$/, 'expected a method, written "package.Service/Method"')
    .optional(),
  /** Connections that the users of a level share evenly; a level of fewer users opens as many as it has users. */
  channels: z.int().min(1).max(MOST_CHANNELS).default(DEFAULTS.grpc.channels),
});

/** Options of the engine, with their defaults. */
export type GrpcOptions = z.output<typeof grpcOptions>;
