import { sweep } from "lbbench";
import { startServer } from "../rounds.mjs";

const MIX = [{ path: "/a" }, { path: "/b" }, { path: "/c", method: "POST", bodies: ["one", "two"] }];

/**
 * What may be left of a request in its generator, in bytes: much less than the thousands that the request itself takes. It is not 0 because
 * the heap of a process that works longer is a little larger.
 */
const CASES = [
  { name: "autocannon", protocol: "http", few: 200_000, atMost: 25, input: {} },
  { name: "undici, a mix", protocol: "http", few: 40_000, atMost: 140, input: { mix: MIX, engine: "undici" } },
  {
    name: "undici, HTTP/2",
    protocol: "http2",
    few: 40_000,
    atMost: 200,
    input: { httpVersion: "2", engines: { undici: { streams: 10 } } },
  },
  { name: "grpc", protocol: "grpc", few: 20_000, atMost: 500, input: {} },
];
const TIMES = 5;

/** Largest resident memory of a generator that did nothing before but send so many requests, in bytes. */
async function residentBytes({ protocol, input }, requests) {
  const server = await startServer(protocol);
  try {
    const { result } = await sweep({ ...input, targets: [server.url], connections: 50, requests, warmup: "0" });
    const [{ measurement, usage }] = result.steps;
    if (measurement?.requests.ok !== requests)
      throw new Error(`expected ${requests} answers, got ${JSON.stringify(measurement?.requests)}`);
    return usage.generator[0].rssBytes;
  } finally {
    await server.stop();
  }
}

/** Whether a generator needs memory for the requests it has sent: how much larger N more of them make it. */
export const bench = {
  name: "memory",
  rounds: 3,
  async open() {
    return {
      async round() {
        const figures = {};
        for (const load of CASES) {
          const grownBytes = (await residentBytes(load, load.few * TIMES)) - (await residentBytes(load, load.few));
          figures[load.name] = grownBytes / (load.few * (TIMES - 1));
        }
        return figures;
      },
      close() {},
    };
  },
  rows: CASES.map(({ name, atMost }) => ({
    title: `memory left of a request, ${name}`,
    unit: "bytes",
    atMost,
    value: (figures) => figures[name],
  })),
};
