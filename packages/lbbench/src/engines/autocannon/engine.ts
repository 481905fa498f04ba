import { driveGenerators, type CompleteEngine } from "../generators.js";
import { splitLevel } from "../shares.js";

/**
 * Closed loop over keep-alive connections, by the clients of autocannon in child processes of their own, with an
 * accounting, a clock and histograms of ours.
 */
export const autocannonEngine: CompleteEngine = {
  name: "autocannon",
  supports: {
    protocols: ["http"],
    loads: ["connections"],
    keepAliveOff: false,
    slices: true,
    fills: true,
    serverTiming: true,
    tlsVerification: true,
  },
  run: (load, context) => {
    const shares = splitLevel(load.level, load.generators).map((level) => ({ ...load, level }));
    return driveGenerators({ engine: "autocannon", shares, asked: load.level }, context);
  },
};
