import * as z from "zod";

const count = z.int().min(0);
const figure = z.number().min(0);

/** What autocannon prints with `-j`, as far as it is read. */
export const autocannonSchema = z.looseObject({
  url: z.union([z.string(), z.array(z.string()).length(1)]).optional(),
  connections: z.int().min(1),
  pipelining: z.int().min(1),
  duration: figure,
  start: z.iso.datetime(),
  finish: z.iso.datetime(),
  errors: count,
  timeouts: count,
  mismatches: count,
  non2xx: count,
  "1xx": count,
  "2xx": count,
  "3xx": count,
  "4xx": count,
  "5xx": count,
  statusCodeStats: z.record(z.string(), z.looseObject({ count })),
  latency: z.looseObject({
    mean: figure,
    stddev: figure,
    min: figure,
    max: figure,
    p2_5: figure,
    p50: figure,
    p75: figure,
    p90: figure,
    p99: figure,
    p99_9: figure,
    totalCount: count,
  }),
  requests: z.looseObject({ total: count, sent: count }),
  throughput: z.looseObject({ total: figure }),
});

/** What autocannon prints with `-j`. */
export type AutocannonOutput = z.infer<typeof autocannonSchema>;
