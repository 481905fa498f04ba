// Takes turns, until it has picked a hundred times: then it does not return.
export const policy = {
  name: "hanging",
  create() {
    let picks = 0;
    return {
      pick(backends) {
        while (picks >= 100);
        return backends[picks++ % backends.length];
      },
    };
  },
};
