import * as z from "zod";

const figure = z.number().nullable();

/** What the stored network settings of a machine must have. */
export const networkSchema = z.looseObject({
  ephemeralPorts: figure,
  tcpTwReuse: figure,
  tcpTwReuseDelayMs: figure,
  tcpTimestamps: z.boolean().nullable(),
  somaxconn: figure,
  tcpMaxSynBacklog: figure,
});

/** What the stored pressure of a step must have. */
export const pressureSchema = z.looseObject({
  ports: figure,
  portsNeeded: figure,
  timeWait: z.looseObject({ before: z.number(), most: z.number() }).nullable(),
  socketsMost: figure,
  portsTaken: z
    .array(z.looseObject({ process: z.enum(["generator", "balancer"]), destination: z.string(), taken: z.number() }))
    .exactOptional(),
  descriptors: z.array(
    z.looseObject({
      name: z.string(),
      role: z.enum(["generator", "balancer", "backend"]),
      most: z.number(),
      limit: figure,
    }),
  ),
});
