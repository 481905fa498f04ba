import { createRequire } from "node:module";
import { inTurn, LBBENCH, makeFolder, runNode, startServer } from "../rounds.mjs";

const CONNECTIONS = 50;
const AUTOCANNON = createRequire(import.meta.url).resolve("autocannon");

async function rateOfAutocannon(url, seconds) {
  const flags = ["-c", CONNECTIONS, "-d", seconds, "--json", "--no-progress"];
  const stdout = await runNode([AUTOCANNON, ...flags, url]);
  const { "2xx": ok, duration } = JSON.parse(stdout.slice(stdout.indexOf("{")));
  return Math.round(ok / duration);
}

async function rateOfLbbench(url, seconds, folder) {
  const flags = ["-c", CONNECTIONS, "-d", `${seconds}s`, "--json", "--quiet", "-f", "json", "-o", folder, "--force"];
  const { steps } = JSON.parse(await runNode([LBBENCH, "sweep", url, ...flags]));
  return Math.round(steps[0].measurement.throughput);
}

/** What accounting for every request costs: the throughput of a sweep beside that of the bare autocannon command. */
export const bench = {
  name: "engine",
  rounds: 5,
  async open({ quick }) {
    const server = await startServer("http");
    const folder = await makeFolder();
    const seconds = quick ? 1 : 5;
    await rateOfAutocannon(server.url, seconds);
    return {
      round: (index) =>
        inTurn(index, {
          autocannon: () => rateOfAutocannon(server.url, seconds),
          lbbench: () => rateOfLbbench(server.url, seconds, folder.path),
        }),
      async close() {
        await folder.remove();
        await server.stop();
      },
    };
  },
  rows: [
    {
      title: "requests/s of `lbbench sweep` / of autocannon",
      atLeast: 0.9,
      value: ({ lbbench, autocannon }) => lbbench / autocannon,
    },
  ],
};
