/**
 * Throughput and latency of our balancer and of other proxies over the same backend, in turn. Checks first that all of
 * them return the same bytes; then writes result.json beside this file and prints it as Markdown. See README.md.
 */
import { access, constants, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { startBackend } from "./backend.mjs";
import { CONTENDERS } from "./contender-list.mjs";
import { readFlags } from "./flags.mjs";
import { contenderVersion, describeMachine, programVersion } from "./machine.mjs";
import { pace } from "./paced.mjs";
import { endAll, endAllOnExit, installed, PINNED } from "./processes.mjs";
import { OTHERS_CPU_LIMIT, renderProxyBench } from "./render.mjs";
import { alternate } from "./rounds.mjs";
import { checkSameBytes } from "./same-bytes.mjs";
import { CONNECTIONS, saturate } from "./saturate.mjs";
import { startContender } from "./start-contender.mjs";
import { summarizePaced, summarizeSaturation, summarizeTargets } from "./summarize-result.mjs";

const INSTALL = "apt-get install wrk nginx haproxy";

function report(part) {
  return (round, name, { requestsPerSecond, achieved, p99, errors, contenderCpu, othersCpu }) => {
    const rate = requestsPerSecond ?? achieved;
    const details = [
      `${rate}/s`,
      ...(p99 === undefined ? [] : [`p99 ${p99} ms`]),
      ...(contenderCpu === undefined ? [] : [`its CPU ${Math.round(contenderCpu * 100)} %`]),
      ...(othersCpu > OTHERS_CPU_LIMIT ? [`somebody else's ${Math.round(othersCpu * 100)} %`] : []),
      ...(errors > 0 ? [`${errors} failed`] : []),
    ];
    console.log(`${part}, round ${round}: ${name} ${details.join(", ")}`);
  };
}

function choose(only) {
  const chosen = CONTENDERS.filter(({ name }) => only.includes(name));
  const missing = new Set(chosen.filter(({ native }) => native && !installed(native, ["-v"])).map(({ name }) => name));
  for (const name of missing) console.log(`${name} is left out: it is not installed (${INSTALL}).`);
  return {
    chosen: chosen.filter(({ name }) => !missing.has(name)),
    leftOut: [...missing].map((name) => ({ name, reason: "not installed" })),
  };
}

async function measureSaturation(contenders, { bodies, rounds, seconds, warmupSeconds }) {
  const parts = {};
  for (const body of bodies) {
    for (const { name, url } of warmupSeconds > 0 ? contenders : []) {
      const { requestsPerSecond } = await saturate(`${url}/${body}`, warmupSeconds);
      console.log(`${body}, warm-up: ${name} ${requestsPerSecond}/s`);
    }
    const measure = ({ url }) => saturate(`${url}/${body}`, seconds);
    parts[body] = summarizeSaturation(await alternate(contenders, rounds, measure, report(body)));
  }
  return parts;
}

async function measurePaced(contenders, { summary }, { rounds, seconds }) {
  const half = (name) => Math.round(summary[name].requestsPerSecond.median / 2);
  const paceAt = async (some, rateOf, part) => {
    const measure = ({ name, url }) => pace(`${url}/small`, rateOf(name), seconds);
    return summarizePaced(await alternate(some, rounds, measure, report(part)));
  };
  const inNode = contenders.filter((contender) => contender.process);
  const slowest = Math.min(...inNode.map(({ name }) => half(name)));
  return {
    half: await paceAt(contenders, half, "at half of its own rate"),
    ...(inNode.length > 1 ? { common: await paceAt(inNode, () => slowest, "at one rate") } : {}),
  };
}

async function bench(flags) {
  const { chosen, leftOut } = choose(flags.only);
  if (!PINNED) console.log("Processes are not pinned: that needs taskset and two cores.");
  const backend = await startBackend(flags.backends);
  const contenders = [];
  for (const contender of chosen) contenders.push(await startContender(contender, backend.urls, flags.nodeFlags));
  const compared = await checkSameBytes(backend.urls[0], contenders);
  console.log(`${compared} answers of ${contenders.length} contenders are those of the backend (${backend.program}).`);
  if (flags.check) return;

  const saturation = await measureSaturation(contenders, flags);
  const paced = flags.skipPaced || !saturation.small ? {} : await measurePaced(contenders, saturation.small, flags);
  const { rounds, seconds, warmupSeconds, backends, nodeFlags } = flags;
  const result = {
    date: new Date().toISOString().slice(0, 10),
    machine: describeMachine(),
    backend: { program: backend.program, version: programVersion(backend.program) },
    generator: { program: "wrk", version: programVersion("wrk") },
    settings: { rounds, seconds, warmupSeconds, connections: CONNECTIONS, backends, nodeFlags: nodeFlags.join(" ") },
    contenders: chosen.map((each) => ({ name: each.name, label: each.label, version: contenderVersion(each) })),
    leftOut,
    targets: summarizeTargets(saturation, paced),
    saturation,
    paced,
  };
  await writeFile(flags.out, `${JSON.stringify(result)}\n`);
  console.log(renderProxyBench(result));
}

async function main() {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) return console.log(flags.help);
  // wrk answers -v with a failure.
  if (!flags.check && programVersion("wrk") === "unknown") throw new Error(`wrk is not installed: ${INSTALL}`);
  // Seen before the first measurement, and not after the last.
  await access(dirname(flags.out), constants.W_OK);
  endAllOnExit();
  try {
    await bench(flags);
  } finally {
    await endAll();
  }
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
