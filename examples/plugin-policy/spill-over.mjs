/** Requests that the first backend is given at a time, before others get any. */
const ENOUGH = 8;

/**
 * A policy: the first backend of the list serves as long as it has less than enough to do; only what is beyond that goes to the
 * next ones. The last one takes whatever is left.
 *
 * @type {import("@lbbench/proxy").Policy}
 */
const policy = {
  name: "spill-over",
  create: () => ({
    pick: (backends) => {
      const available = backends.filter((backend) => backend.available);
      return available.find((backend) => backend.inFlight < ENOUGH) ?? available.at(-1);
    },
  }),
};

export default policy;
