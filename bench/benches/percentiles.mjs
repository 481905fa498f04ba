import { sweep } from "lbbench";
import { startServer } from "../rounds.mjs";

const CONNECTIONS = 60;
const REQUESTS = 1200;
const PERCENTILES = [50, 90, 99];
const ENGINES = [
  { name: "autocannon", protocol: "http", input: {} },
  { name: "undici", protocol: "http", input: { engine: "undici" } },
  { name: "undici, HTTP/2", protocol: "http2", input: { httpVersion: "2" } },
  { name: "grpc", protocol: "grpc", input: {} },
];

/** By how much what an engine tells differs from what the server knows, in percent of that: the largest difference of all percentiles. */
async function largestDeviation({ protocol, input }, generators) {
  const server = await startServer(protocol, REQUESTS);
  try {
    const load = { targets: [server.url], connections: CONNECTIONS, requests: REQUESTS, generators, warmup: "0" };
    const { result } = await sweep({ ...input, ...load });
    const { latency } = result.steps[0].measurement;
    const truth = (await server.ask("times")).toSorted((a, b) => a - b);
    const deviations = PERCENTILES.map((percentile) => {
      const expected = truth[Math.ceil((percentile / 100) * REQUESTS) - 1];
      return (Math.abs(latency[`p${percentile}`] - expected) / expected) * 100;
    });
    return Math.max(...deviations);
  } finally {
    await server.stop();
  }
}

/** Whether engines tell the time: percentiles of a server whose delays are known, by one generator and by three. */
export const bench = {
  name: "percentiles",
  rounds: 3,
  async open() {
    return {
      async round() {
        const figures = {};
        for (const engine of ENGINES) {
          const one = await largestDeviation(engine, 1);
          const three = await largestDeviation(engine, 3);
          figures[engine.name] = Math.max(one, three);
        }
        return figures;
      },
      close() {},
    };
  },
  rows: ENGINES.map(({ name }) => ({
    title: `largest deviation of p50, p90 and p99, ${name}`,
    unit: "%",
    atMost: 3,
    value: (figures) => figures[name],
  })),
};
