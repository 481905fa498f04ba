import autocannon from "autocannon";
import type { BuildClients, GeneratorLoad } from "../generator.js";
import type { LoadRun } from "../load-run.js";
import { closedConnections } from "../../stats/load.js";
import { planRequest } from "../request-plan.js";
import type { AutocannonClient } from "./autocannon-client.js";
import { measureClient } from "./measuring-client.js";

/** How often autocannon looks whether it has been stopped. */
const LOOK_INTERVAL_MS = 5;
/** The time is ours to keep: longer than any run, and short enough for a timer. */
const NEVER_S = 2_000_000;

/** Builds the clients of autocannon that send a load. */
export function autocannonClients(load: GeneratorLoad): BuildClients {
  return (run) => {
    const instance = startAutocannon(load, run);
    return {
      stop: async () => {
        instance.stop();
        await instance;
      },
    };
  };
}

/** The part of what autocannon returns that the published types leave out: it is a promise and can be stopped. */
type StoppableRun = PromiseLike<unknown> & Pick<autocannon.Instance, "stop">;

function startAutocannon(load: GeneratorLoad, run: LoadRun): StoppableRun {
  const plan = planRequest(load);
  const options = {
    url: new URL(load.url).href,
    connections: closedConnections(load.level),
    duration: NEVER_S,
    sampleInt: LOOK_INTERVAL_MS,
    // What it would work out of its own counts at the end of every run is not used.
    skipAggregateResult: true,
    setupClient: (client: unknown) => measureClient(client as AutocannonClient, run, plan),
  };
  return autocannon(options) as unknown as StoppableRun;
}
