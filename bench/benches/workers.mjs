/** What it costs to have load sent by workers under Locust, beside the same load from processes of lbbench itself. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { availableParallelism, homedir } from "node:os";
import { join } from "node:path";
import { inTurn, LBBENCH, pin, runOn, startFastServer, sweepOn } from "../rounds.mjs";

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}

/** The rate of a step, and what limited it, which is to be the generator. */
function read({ measurement, usage }) {
  return { rate: Math.round(measurement.throughput), bottleneck: usage.bottleneck };
}

const LAST = availableParallelism() - 1;
/** Which cores are whose: the load has one or two. The server and the master of workers have others, as far as there are any. */
const ONE = { server: "0", load: "1", master: LAST > 1 ? `2-${LAST}` : "0", count: 1 };
const TWO = { server: LAST > 1 ? `2-${LAST}` : "0,1", load: "0,1", master: LAST > 1 ? `2-${LAST}` : "0,1", count: 2 };

export const workersBench = {
  needs: ["locust"],
  rounds: 5,
  async open({ quick, after }) {
    // Where .ci/install-locust puts it.
    const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
    process.env.LBBENCH_TOKEN ??= randomUUID();
    process.env.LBBENCH_PYTHON ??= join(cache, "lbbench", "locust-newest", "bin", "python");
    const { url, pid, stop } = await startFastServer("http");
    after(stop);
    const load = ["-c", "50", "-d", quick ? "1s" : "5s"];
    const byProcesses = async ({ server, load: cores, count }) => {
      pin(server, pid);
      return read(await sweepOn(cores, url, ...load, "--generators", count));
    };
    const byWorkers = async ({ server, load: cores, master: beside, count }) => {
      pin(server, pid);
      const master = `127.0.0.1:${await freePort()}`;
      // They end with their master, and wait for it until it is there.
      const workers = Array.from({ length: count }, () =>
        runOn(cores, process.execPath, LBBENCH, "worker", "--master", master),
      );
      const flags = ["--workers", `wait:${count}`, "--workers-listen", master];
      const [step] = await Promise.all([sweepOn(beside, url, ...load, ...flags), ...workers]);
      return read(step);
    };
    const works = {
      oneProcess: () => byProcesses(ONE),
      oneWorker: () => byWorkers(ONE),
      twoProcesses: () => byProcesses(TWO),
      twoWorkers: () => byWorkers(TWO),
    };
    return (index) => inTurn(index, works);
  },
  rows: [
    {
      title: "requests/s of one worker under Locust / of one process, on one core",
      atLeast: 0.9,
      value: ({ oneWorker, oneProcess }) => oneWorker.rate / oneProcess.rate,
    },
    {
      title: "requests/s of two workers / of `--generators 2`, on two cores",
      atLeast: 0.9,
      value: ({ twoWorkers, twoProcesses }) => twoWorkers.rate / twoProcesses.rate,
    },
  ],
};
