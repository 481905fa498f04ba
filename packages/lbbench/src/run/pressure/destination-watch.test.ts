import { describe, expect, it } from "vitest";
import type { NetworkSettings } from "../../model/pressure.js";
import { parseActiveOpens, watchDestinations } from "./destination-watch.js";

const SETTINGS = {} as NetworkSettings;
const MANY = { inUse: 100, timeWait: 30_000 };

/** A machine on which looks are counted. */
function machine() {
  const state: { taken: number; opens: number | null; looks: number } = { taken: 500, opens: 1_000_000, looks: 0 };
  const watch = watchDestinations(SETTINGS, {
    activeOpens: () => Promise.resolve(state.opens),
    destinations: () => {
      state.looks++;
      return Promise.resolve([{ address: "127.0.0.1", port: 80, taken: state.taken }]);
    },
  });
  return { state, watch };
}

describe("watchDestinations", () => {
  it("does not look where all sockets together are no more than the limit", async () => {
    const { state, watch } = machine();
    expect(await watch.lookBeyond(30_100, MANY)).toBeUndefined();
    expect(state.looks).toBe(0);
  });

  it("looks once where others have left many sockets, and not again while few connections are begun", async () => {
    const { state, watch } = machine();
    expect(await watch.lookBeyond(20_000, MANY)).toEqual([{ address: "127.0.0.1", port: 80, taken: 500 }]);
    state.opens = 1_000_000 + 19_500;
    expect(await watch.lookBeyond(20_000, MANY)).toBeUndefined();
    expect(state.looks).toBe(1);
  });

  it("looks again when the connections that were begun could have taken too many", async () => {
    const { state, watch } = machine();
    await watch.lookBeyond(20_000, MANY);
    Object.assign(state, { opens: 1_000_000 + 19_501, taken: 20_001 });
    expect(await watch.lookBeyond(20_000, MANY)).toEqual([{ address: "127.0.0.1", port: 80, taken: 20_001 }]);
    expect(await watch.lookBeyond(20_000, MANY)).toEqual([{ address: "127.0.0.1", port: 80, taken: 20_001 }]);
    expect(state.looks).toBe(3);
  });

  it("looks every time where nobody tells how many connections were begun", async () => {
    const { state, watch } = machine();
    state.opens = null;
    await watch.lookBeyond(20_000, MANY);
    await watch.lookBeyond(20_000, MANY);
    expect(state.looks).toBe(2);
  });
});

describe("parseActiveOpens", () => {
  it("finds the value below its name", () => {
    const text = "Ip: Forwarding\nIp: 1\nTcp: RtoMin ActiveOpens PassiveOpens\nTcp: 200 3484116 17\nUdp: InDatagrams\n";
    expect(parseActiveOpens(text)).toBe(3_484_116);
  });

  it.each(["", "Tcp: RtoMin\nTcp: 200\n", "Tcp: ActiveOpens\n"])("is null for %j", (text) => {
    expect(parseActiveOpens(text)).toBeNull();
  });
});
