import { REFERENCE } from "./contender-list.mjs";

/** Share of the contender's core that others may have used before it is said; interrupts use some. */
export const OTHERS_CPU_LIMIT = 0.1;

const NOT_MEASURED = "\nNot measured yet.\n\n";

const BODY_NAMES = new Map([
  ["small", "small GET"],
  ["100k", "GET of 100 KB"],
]);

const PART_NAMES = new Map([
  ["small", "requests/s, small GET"],
  ["100k", "requests/s, GET of 100 KB"],
  ["pacedHalf", "p99 at half of its own saturating rate"],
  ["pacedCommon", "p99 at one rate for all Node proxies"],
]);

const whole = (number) => String(Math.round(number));
const percent = (share) => (share === undefined ? "" : `${Math.round(share * 100)} %`);
const busy = (...shares) => shares.map((share) => percent(share?.median));
const ms = (number) => number.toFixed(2);
const times = (number) => number.toFixed(2);

function spread(summary, format) {
  return summary === undefined ? "" : `${format(summary.median)} (${format(summary.low)} to ${format(summary.high)})`;
}

function table(head, rows) {
  const align = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [head, align, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function named({ label, version }) {
  return version === undefined ? label : `${label} (${version})`;
}

function saturationTable(body, { contenders, saturation }) {
  const summaries = saturation[body].summary;
  const rows = contenders
    .filter(({ name }) => summaries[name] !== undefined)
    .map((contender) => {
      const { requestsPerSecond, ratio, contenderCpu, generatorCoreCpu } = summaries[contender.name];
      const rates = [spread(requestsPerSecond, whole), spread(ratio, times)];
      return [named(contender), ...rates, ...busy(contenderCpu, generatorCoreCpu)];
    });
  const head = [BODY_NAMES.get(body), "requests/s", `x ${REFERENCE}`, "its CPU", "other core"];
  return table(head, rows);
}

function pacedTable(rate, { contenders }, { summary }) {
  const rows = contenders
    .filter(({ name }) => summary[name] !== undefined)
    .map((contender) => {
      const { rate: asked, achieved, p50, p99, max, contenderCpu, generatorCoreCpu } = summary[contender.name];
      const latencies = [spread(p50, ms), spread(p99, ms), spread(max, ms)];
      return [
        named(contender),
        whole(asked),
        spread(achieved, whole),
        ...latencies,
        ...busy(contenderCpu, generatorCoreCpu),
      ];
    });
  return table([rate, "asked/s", "answered/s", "p50, ms", "p99, ms", "max, ms", "its CPU", "other core"], rows);
}

/** A target in words: the figure, of which contender and of which other it is. */
export function describeTarget({ part, of, to, best }, contenders) {
  const label = (name) => contenders.find((each) => each.name === name).label;
  return `${PART_NAMES.get(part)}: ${label(of)} / ${label(to)}${best ? " (the best other Node proxy)" : ""}`;
}

function targetTable({ targets, contenders }) {
  const rows = targets.map((target) => {
    const { atLeast, atMost, ratio, reached } = target;
    const wanted = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
    return [describeTarget(target, contenders), wanted, spread(ratio, times), reached ? "yes" : "no"];
  });
  return table(["ratio within a round", "wanted", "median (lowest to highest)", "reached"], rows);
}

function setting({ machine, settings, backend, generator }) {
  const { rounds, seconds, warmupSeconds, connections, backends, nodeFlags } = settings;
  const { pinned } = machine;
  const where = pinned
    ? `contender pinned to core ${pinned.contender}, generator and backend to core ${pinned.generator}`
    : "**not pinned to cores**";
  const ports = backends === 1 ? "" : ` on ${backends} ports`;
  return `${rounds} rounds of ${seconds} s each after ${warmupSeconds} s of warm-up, ${connections} keep-alive connections, ${where};
backend ${backend.program} ${backend.version}${ports}, generator wrk ${generator.version}; ${machine.cores} cores of ${machine.cpu}, ${machine.kernel},
Node ${machine.node} with \`${nodeFlags || "no flags"}\`. Medians, and in brackets the lowest and the highest of the rounds.`;
}

function failures({ saturation, paced }) {
  const parts = [...Object.values(saturation), ...Object.values(paced)].map(({ summary }) => summary);
  const counts = new Map();
  for (const [name, { errors }] of parts.flatMap(Object.entries)) {
    if (errors > 0) counts.set(name, (counts.get(name) ?? 0) + errors);
  }
  if (counts.size === 0) return [];
  return [`**Requests that failed:** ${[...counts].map(([name, count]) => `${name} ${count}`).join(", ")}.`];
}

function disturbances({ saturation, paced }) {
  const parts = [...Object.values(saturation), ...Object.values(paced)].map(({ summary }) => summary);
  const disturbed = parts
    .flatMap(Object.entries)
    .filter(([, { othersCpu }]) => othersCpu !== undefined && othersCpu.median > OTHERS_CPU_LIMIT)
    .map(([name]) => name);
  if (disturbed.length === 0) return [];
  return [`**The machine was not quiet:** somebody else used the core of ${[...new Set(disturbed)].join(", ")}.`];
}

function leftOut({ leftOut: missing }) {
  return missing.length === 0
    ? []
    : [`Left out: ${missing.map(({ name, reason }) => `${name} (${reason})`).join(", ")}.`];
}

/**
 * The result of a run as Markdown, to stand between the marks of the README. Without a result, as before the first run,
 * it says so.
 */
export function renderProxyBench(result) {
  if (result === undefined) return NOT_MEASURED;
  const { saturation, paced, targets } = result;
  const parts = [
    setting(result),
    ...(targets.length > 0 ? [targetTable(result)] : []),
    ...Object.keys(saturation).map((body) => saturationTable(body, result)),
    ...(paced.half ? [pacedTable("small GET, half of its own saturating rate", result, paced.half)] : []),
    ...(paced.common ? [pacedTable("small GET, one rate for all in Node", result, paced.common)] : []),
    ...failures(result),
    ...disturbances(result),
    ...leftOut(result),
  ];
  return `\n${parts.join("\n\n")}\n\n`;
}
