// Takes turns, and burns two milliseconds of the balancer's processor time for each pick.
const BURN_US = 2000;

export const policy = {
  name: "slow",
  create() {
    let picks = 0;
    return {
      pick(backends) {
        const { user, system } = process.cpuUsage();
        const end = user + system + BURN_US;
        for (let now = 0; now < end;) {
          const used = process.cpuUsage();
          now = used.user + used.system;
        }
        return backends[picks++ % backends.length];
      },
    };
  },
};
