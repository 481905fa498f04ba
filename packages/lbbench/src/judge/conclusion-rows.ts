/** The rows of FINDINGS of what a run shows: how targets compare, where each is at its best, and where it begins to fail. */
import type { FindingCode } from "../model/finding.js";
import { formatRecoveredIn } from "../stats/faults.js";
import { formatCount, formatPercent, formatTenths, formatTime } from "../stats/format-number.js";
import { isLoadKind } from "../stats/load.js";
import type { Seen } from "./found.js";
import {
  bytes,
  count,
  duration,
  type FindingRow,
  joined,
  loadList,
  loads,
  percent,
  rate,
  things,
  time,
} from "./finding-figures.js";

/** What a change of a metric is called, behind its size. */
export const CHANGES: ReadonlyMap<string, readonly [more: string, less: string]> = new Map([
  ["throughput", ["more requests/s", "fewer requests/s"]],
  ["mean", ["higher mean latency", "lower mean latency"]],
  ["p50", ["higher p50", "lower p50"]],
  ["p90", ["higher p90", "lower p90"]],
  ["p99", ["higher p99", "lower p99"]],
]);

/** `5.2 %`, `73 %`: of the size of a change. */
function sizeText(change: number, unit = " %"): string {
  const share = Math.abs(change);
  if (Number.isNaN(share)) return `?${unit}`;
  return `${share < 0.1 ? formatPercent(share) : formatCount(share * 100)}${unit}`;
}

/** `5 to 73 %`, or one size where both are alike. */
function rangeText(least: number, most: number, unit = " %"): string {
  const isWhole = Math.abs(most) >= 0.1;
  const [from, to] = [least, most].map((change) =>
    isWhole ? formatCount(Math.abs(change) * 100) : sizeText(change, ""),
  );
  return from === to ? sizeText(most, unit) : `${from} to ${to}${unit}`;
}

/** Towards 0, to what of it is written beside the largest of a range, so that "at least" is true of what is read. */
const towardsNothing = (change: number, largest: number): number => {
  const steps = Math.abs(largest) < 0.1 ? 1000 : 100;
  // 0.29 times 100 is a little less than 29.
  return Math.trunc(change * steps * (1 + Number.EPSILON)) / steps;
};

/** `p = 0.012`, `p < 0.001` */
export function chance(p: number): string {
  return p < 0.001 ? "p < 0.001" : `p = ${Number(p.toPrecision(2))}`;
}

/** `at every level`, `from 50 connections on`, `with 1 connection`, `at 50, 100 connections` */
function where({ every, from, levels, kind, told, among }: Seen<"FASTER">): string {
  if (every !== undefined) return "at every level";
  if (among !== undefined) return `at ${count(told)} of ${count(among)} levels`;
  if (from !== undefined) return `from ${loads(from, kind)} on`;
  return levels === "1" && kind === "connections" ? `with ${loadList(levels, kind)}` : at(levels, kind);
}

/** Figures of users are those of a whole ramp. */
function at(levels: string | undefined, kind: string | undefined, requests?: string): string {
  return `${kind === "users" ? "with up to" : "at"} ${loadList(levels, kind, requests)}`;
}

const than = ({ reference }: Seen<"FASTER">): string => (reference === undefined ? "" : ` than ${reference}`);

/** `21 to 76 % more requests/s than single from 50 connections on (p = 0.007)` */
function claimSentence(seen: Seen<"FASTER">): string {
  const { metric = "?", together, bound, p } = seen;
  const written = (value: number, largest: number): number =>
    bound === undefined ? value : towardsNothing(value, largest);
  const change = written(seen.change ?? NaN, seen.change ?? NaN);
  const [from = change, to = change] = [seen.least, seen.most];
  const [least, most] = [written(from, to), written(to, to)];
  const [more, less] = CHANGES.get(metric) ?? [`higher ${metric}`, `lower ${metric}`];
  // What all levels together tell is told of each where all of them go that way.
  const isMean = together !== undefined && (bound !== undefined || least * most < 0 || least * change < 0);
  const size = isMean
    ? `${sizeText(change)} ${change > 0 ? more : less}`
    : `${rangeText(least, most)} ${most > 0 ? more : less}`;
  const words = `${bound === undefined ? "" : "at least "}${size}${than(seen)}`;
  return `${words}${isMean ? " on average" : ""} ${where(seen)}${p === undefined ? "" : ` (${chance(p)})`}`;
}

function failureSentence(word: "more" | "fewer", seen: Seen<"FAILS_MORE">): string {
  const { least = NaN, most = NaN, p } = seen;
  const notes = joined("; ", `${rangeText(least, most, " points")} of all`, p !== undefined && chance(p));
  return `${word} failed requests${than(seen)} ${where(seen)} (${notes})`;
}

/** Says that nothing is claimed, and why, or what a single start showed. */
export function untestedSentence(seen: Seen<"UNTESTED">, why: string): string {
  const { metric = "?", least, most, alike, reference } = seen;
  if (least !== undefined && most !== undefined) {
    const [more, less] = CHANGES.get(metric) ?? ["?", "?"];
    const like = `${metric === "throughput" ? "about as many requests/s" : "about the same mean latency"}${reference === undefined ? "" : ` as ${reference}`}`;
    const shown = alike === undefined ? `${rangeText(least, most)} ${most > 0 ? more : less}${than(seen)}` : like;
    return `in this one run ${shown} ${where(seen)}`;
  }
  const what = `no difference${reference === undefined ? "" : ` from ${reference}`} can be claimed ${seen.every === undefined ? where(seen) : "at any level"}`;
  return `${what}: ${why}`;
}

/** Says which part was busy to its limit. */
export const AT_LIMIT: ReadonlyMap<string, string> = new Map([
  ["none", "none of its processes was at its limit"],
  ["backend", "its backends were at their limit"],
  ["balancer", "its balancer was at its limit"],
  ["machine", "all cores of the machine were busy"],
  ["generator", "the load generator was the busiest part, so the target may carry more"],
]);

/** What the rows of conclusions have in common; some ask for something to be done. */
export const OF_TARGET = { severity: "info", isConclusion: true, tellsPlace: true, remedy: "Nothing." } as const;

export const CONCLUSION_ROWS = {
  ADDED_TIME: {
    ...OF_TARGET,
    title: "What it adds to the time of its backends",
    rule: "A test over starts tells that the p50 of what is [added](reading-a-report.md#where-the-time-goes) differs by `least` to `most` ms. Not where latency is in doubt.",
    // `adds 0.21 to 0.25 ms more to the time of its backends than single at every level (p50; p = 0.012)`
    sentence: (seen) => {
      const { least = NaN, most = NaN, p } = seen;
      const [from, to] = [formatTime(Math.abs(least)), formatTime(Math.abs(most))];
      const size = Number.isNaN(most) ? "?" : `${from === to ? to : `${from} to ${to}`} ms`;
      const notes = joined("; ", "p50", p !== undefined && chance(p));
      return `adds ${size} ${most > 0 ? "more" : "less"} to the time of its backends${than(seen)} ${where(seen)} (${notes})`;
    },
    cause:
      "Queues, connections and work of the balancer, and the network. Requests that wait unread at a busy backend are among it.",
    remedy: "Nothing. To see a balancer without queues, use a rate of about half of what it can carry.",
  },
  ALIKE: {
    ...OF_TARGET,
    title: "About as fast as the reference",
    rule: "The whole 95 % interval of the change of its speed, of several levels the mean, lies within 5 %.",
    sentence: (seen) =>
      `${seen.metric === "mean" ? "the same mean latency" : "as many requests/s"}${seen.reference === undefined ? "" : ` as ${seen.reference}`} within 5 %${seen.together === undefined ? "" : " on average"} ${where(seen)}`,
    cause: "What differs between the two does not matter at these loads.",
  },
  BREAKS: {
    ...OF_TARGET,
    title: "Where it begins to fail",
    rule: "Up to `lastGood` no request failed. From `firstBad` on some did at every level: there `share`, in these `ways`. Not with faults, or by chance.",
    sentence: (seen) => {
      const { kind, lastGood, firstBad, share, ways = "?", last, lastShare, lastWays = "?", broken, refuses } = seen;
      const what =
        refuses !== undefined
          ? "begins to refuse requests"
          : broken === undefined
            ? "begins to fail requests"
            : "breaks";
      const at = (load: number | undefined, part: number | undefined, how: string, word = ""): string =>
        `${percent(part)}${word} at ${count(load)} (${how})`;
      const end = last === undefined ? "" : `, ${at(last, lastShare, lastWays)}`;
      return `${what} between ${count(lastGood)} and ${loads(firstBad, kind)}: ${at(firstBad, share, ways, " failed")}${end}`;
    },
    cause: "A limit of the target: a backlog, a queue, descriptors, memory, or one that was set.",
    remedy: "Stay at or below the last good level. Measure the levels in between to find it more exactly.",
  },
  CONNECTIONS_HELD: {
    ...OF_TARGET,
    title: "Connections that it held",
    rule: "Of `lbbench hold`, at the level with the most connections: how many were open in the end, and what memory each takes in each part of the target. Medians over the trials. Of memory nothing where it is within its noise: a tenth of what each process had before, and what changed meanwhile.",
    // `held 9,990 of 10,000 connections to the end (lost 10); a connection takes 9.12 kB in the balancer`
    sentence: ({ connections, alive, lost = 0, balancerBytes, backendBytes }) => {
      const losses = lost > 0 ? ` (${count(lost)} lost)` : "";
      const memory = joined(
        " and ",
        balancerBytes !== undefined && `${bytes(balancerBytes)} in the balancer`,
        backendBytes !== undefined && `${bytes(backendBytes)}${balancerBytes === undefined ? "" : " in the backends"}`,
      );
      const each = memory === "" ? "" : `; a connection takes ${memory}`;
      return `held ${count(alive)} of ${things(connections, "connection")} to the end${losses}${each}`;
    },
    cause: "Sockets and buffers of the system, and what each part keeps for a connection.",
  },
  COST_AT_ONE: {
    ...OF_TARGET,
    title: "What it costs one connection",
    rule: "With one connection it is slower by 5 % or more: the p50 is `ms` longer.",
    sentence: ({ ms, reference }) =>
      `one connection waits ${time(ms)} longer${reference === undefined ? "" : ` than with ${reference}`} (p50)`,
    cause: "A balancer passes each request through another process. One connection cannot be shared out.",
    remedy: "Nothing. The cost is the same at every load, and most visible here.",
  },
  FAILS_LESS: {
    ...OF_TARGET,
    title: "Fewer requests fail than of the reference",
    rule: "As [FASTER](#faster), of the share of failed requests.",
    sentence: (seen) => failureSentence("fewer", seen),
    cause: "The target bears the load better, or refuses less.",
    remedy: "Compare latencies only where both answer.",
  },
  FAILS_MORE: {
    ...OF_TARGET,
    title: "More requests fail than of the reference",
    rule: "As [FASTER](#faster), of the share of failed requests.",
    sentence: (seen) => failureSentence("more", seen),
    cause: "The target bears the load less well, or refuses more.",
    remedy: "Read how they fail in the results. Compare latencies only where both answer.",
  },
  FASTER: {
    ...OF_TARGET,
    title: "Faster than the reference",
    rule: "A test over starts, corrected for all that is compared, tells that throughput is higher (at a rate: mean latency lower), or that a percentile goes the other way. `least` and `most`: smallest and largest change of a level. `together`: of so many levels `change` is the mean. `bound`: changes are at least so large.",
    sentence: claimSentence,
    cause: "The target does less work a request, or has more processes to do it.",
  },
  FAULTS_COMPARED: {
    ...OF_TARGET,
    title: "What the faults cost",
    rule: "Requests lost to all faults and the slowest recovery, medians over the trials, and what a test of all pairs (permutation, Holm) tells of them.",
    // `lost 41 of 6,000 requests to the faults (median of 6 trials), the fewest; recovered in 1.2 s`
    sentence: (seen) => {
      const { lost = 0, sent, recoveryMs, trials = 1, lostIs, undone } = seen;
      const many = lost === 0 ? "none" : formatTenths(lost);
      const of = trials > 1 ? ` (median of ${things(trials, "trial")})` : "";
      const rank = lostIs === "fewest" ? ", the fewest" : lostIs === "more" ? ", more than the best" : "";
      const time =
        recoveryMs === undefined ? "did not recover from all of them" : `recovered ${formatRecoveredIn(recoveryMs)}`;
      const doubt = undone === undefined ? "" : `; "${undone}" could not be done`;
      return `lost ${many} of ${count(sent)} requests to the faults${of}${rank}; ${time}${doubt}`;
    },
    cause: "How soon a balancer leaves a backend that is gone, and whether it repeats requests.",
  },
  PEAK: {
    ...OF_TARGET,
    title: "The most it answers",
    rule: "Where the median throughput is highest, with its latency and what limits it: nothing where a rate is kept. Not tested.",
    sentence: (seen) => {
      const { kind, throughput = 0, p50, p99, bottleneck = "none", requests, best, second, atUsers } = seen;
      if (throughput === 0) return "no request was answered as expected";
      const latencies = joined(", ", p50 !== undefined && `p50 ${time(p50)}`, p99 !== undefined && `p99 ${time(p99)}`);
      const latency = latencies === "" ? "" : ` (${latencies})`;
      const limit = bottleneck === "none" ? "" : `; ${AT_LIMIT.get(bottleneck) ?? bottleneck}`;
      if (best !== undefined)
        return `${rate(throughput)} requests/s on average${latency}, up to ${rate(best)} in second ${count(second)} with ${things(atUsers, "user")}${limit}`;
      if (kind === "rate")
        return `up to ${rate(throughput)} of ${rate(seen.rate)} requests/s asked for${latency}${limit}`;
      const place = `${kind === "connectionRate" ? "at" : "with"} ${loads(isLoadKind(kind) ? seen[kind] : undefined, kind)}`;
      const amount = requests === undefined ? "" : ` and ${things(requests, "request")}`;
      return `up to ${rate(throughput)} requests/s ${place}${amount}${latency}${limit}`;
    },
    cause: "The part that is named, if one is.",
  },
  POLICIES_COMPARED: {
    ...OF_TARGET,
    title: "What a policy is worth",
    rule: "The share of the requests that were due and answered ok within the deadline, a median over the trials, and what a test of all pairs of policies (permutation, Holm) tells of it.",
    // `99.6 % of the requests were answered within 1 s (median of 5 trials), the most`
    sentence: ({ within, deadlineMs, trials = 1, withinIs, because }) => {
      const of = trials > 1 ? ` (median of ${things(trials, "trial")})` : "";
      const rank = withinIs === "most" ? ", the most" : withinIs === "less" ? ", less than with the best policy" : "";
      const doubt = because === undefined ? "" : `; not compared [${because}]`;
      return `${percent(within)} of the requests were answered within ${duration(deadlineMs)}${of}${rank}${doubt}`;
    },
    cause: "How soon a policy notices that a backend is slow, and how little it sends there meanwhile.",
  },
  SLOWER: {
    ...OF_TARGET,
    title: "Slower than the reference",
    rule: "As [FASTER](#faster), the other way round.",
    sentence: claimSentence,
    cause: "The target does more work a request, or passes it on.",
    remedy: "Look for the bottleneck of these levels.",
  },
  WITHIN_NOISE: {
    ...OF_TARGET,
    title: "Differences within the noise",
    rule: "With two trials or more, the medians of two targets differ by 2 % or more, and the trials do not tell that from noise.",
    sentence: (seen) => {
      const { reference, kind, metric = "?", trials, higher, higherRequests, lower, lowerRequests } = seen;
      const [more, less] = CHANGES.get(metric) ?? [`higher ${metric}`, `lower ${metric}`];
      // Older results tell the largest alone.
      const sizes = (least: number | undefined, most = NaN): string =>
        least === undefined ? `up to ${sizeText(most)}` : rangeText(least, most);
      const what = joined(
        ", ",
        higher !== undefined && `${sizes(seen.higherLeast, seen.highest)} ${more} ${at(higher, kind, higherRequests)}`,
        lower !== undefined && `${sizes(seen.lowerLeast, seen.lowest)} ${less} ${at(lower, kind, lowerRequests)}`,
      );
      return `${what || "a difference"}${reference === undefined ? "" : `, beside ${reference}`}; ${things(trials, "trial")} do not tell that from noise`;
    },
    cause: "The trials of each side differ from one another by as much, or are too few to show anything.",
    remedy: "Claim no difference. More --trials and a longer --duration can find a smaller one.",
    imported: "Claim no difference. Run it six times or more at each level to find a smaller one.",
  },
} satisfies { readonly [Code in FindingCode]?: FindingRow<Code> };

/** What a run shows of its targets. */
export type ConclusionCode = keyof typeof CONCLUSION_ROWS | "UNTESTED";
