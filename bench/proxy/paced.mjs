import { fileURLToPath } from "node:url";
import { output } from "./processes.mjs";
import { CONNECTIONS } from "./saturate.mjs";

const GENERATOR = fileURLToPath(new URL("paced-generator.mjs", import.meta.url));
// So that hardly a collection of the generator's own falls into a measurement.
const FLAGS = ["--max-semi-space-size=64"];

/** Asks for the URL at a fixed rate per second; resolves to rates, latencies in ms and errors. */
export async function pace(url, rate, seconds) {
  const args = [...FLAGS, GENERATOR, url, rate, seconds, CONNECTIONS].map(String);
  return JSON.parse(await output("generator", process.execPath, args));
}
