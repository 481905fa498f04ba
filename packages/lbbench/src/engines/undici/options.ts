import * as z from "zod";
import { DEFAULTS } from "../../config/defaults.js";

const MOST_STREAMS = 10_000;

/** What can be said about how the engine sends. */
export const undiciOptions = z.strictObject({
  /** Requests that share a connection at a time, by HTTP/2. */
  streams: z.int().min(1).max(MOST_STREAMS).default(DEFAULTS.undici.streams),
});
