import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CONTENDERS } from "./contender-list.mjs";

const BODIES = ["small", "100k"];

const DEFAULTS = {
  rounds: "5",
  seconds: "4",
  warmup: "8",
  backends: "1",
  bodies: BODIES.join(","),
  // A larger young generation: with Node's 16 MB the scavenges, and what they promote too early, cost every proxy some.
  "node-flags": "--max-semi-space-size=32",
  out: fileURLToPath(new URL("result.json", import.meta.url)),
};

const HELP = `node bench/proxy/run.mjs [flags]

  --check             only see whether all contenders return the same bytes
  --only NAMES        of ${CONTENDERS.map(({ name }) => name).join(", ")}
  --bodies LIST       what to saturate with: ${BODIES.join(", ")} (default ${DEFAULTS.bodies})
  --rounds N          (default ${DEFAULTS.rounds})
  --seconds N         of each measurement (default ${DEFAULTS.seconds})
  --warmup N          seconds of load for each contender and body before the first round (default ${DEFAULTS.warmup})
  --backends N        ports of the backend to balance over (default ${DEFAULTS.backends})
  --node-flags=FLAGS  for all contenders in Node (default ${DEFAULTS["node-flags"]})
  --skip-paced        only saturate
  --out FILE          (default bench/proxy/result.json)`;

function number(name, text, least) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`--${name}: expected a whole number from ${least}, got "${text}".`);
}

function names(flag, text, known) {
  const chosen = new Set(text.split(",").map((name) => name.trim()));
  for (const name of chosen) {
    if (!known.includes(name)) throw new Error(`--${flag}: expected some of ${known.join(", ")}, got "${name}".`);
  }
  return known.filter((name) => chosen.has(name));
}

/** What the command line asks for, checked; `help` is set when it asks for help. Throws an `Error` that says what was expected. */
export function readFlags(args) {
  const text = (name) => ({ type: "string", default: DEFAULTS[name] });
  const flag = { type: "boolean", default: false };
  const options = {
    ...Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, text(name)])),
    only: { type: "string" },
    check: flag,
    "skip-paced": flag,
    help: flag,
  };
  const { values } = parseArgs({ args, options });
  const all = CONTENDERS.map(({ name }) => name);
  return {
    help: values.help ? HELP : undefined,
    check: values.check,
    only: values.only === undefined ? all : names("only", values.only, all),
    bodies: names("bodies", values.bodies, BODIES),
    rounds: number("rounds", values.rounds, 1),
    seconds: number("seconds", values.seconds, 1),
    warmupSeconds: number("warmup", values.warmup, 0),
    backends: number("backends", values.backends, 1),
    nodeFlags: values["node-flags"].split(" ").filter(Boolean),
    skipPaced: values["skip-paced"],
    out: values.out,
  };
}
