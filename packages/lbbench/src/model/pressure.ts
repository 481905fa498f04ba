import type * as stored from "./result-schema.js";

/** What the system allows for connections; `null` where it does not tell. */
export interface NetworkSettings extends stored.Of<typeof stored.networkSettings> {}

/** Who opens connections: the load generator, or the balancer to its backends. */
export type PortTaker = PortsTaken["process"];

/** Ports that were taken, and could not be used again yet, for connections to one destination. */
export interface PortsTaken extends stored.Of<typeof stored.portsTaken> {}

/** The file descriptors of one process, or of the one with the fewest left where descendants were asked for. */
export interface DescriptorUse extends stored.Of<typeof stored.descriptorUse> {}

/** What a step took of the ports and descriptors there are; `null` where the system does not tell. */
export interface Pressure extends stored.Of<typeof stored.pressure> {}
