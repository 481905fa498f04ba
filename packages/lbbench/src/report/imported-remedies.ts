import type { FindingCode } from "../model/finding.js";
import type { Figures } from "./finding-figures.js";

const MORE_RUNS = "Run it again, six times or more at each level, and import the output of all runs together.";
const RUN_AGAIN = "then run it again and import its output.";
const NOT_TOLD = "Import the output of a level at which nothing fails, or measure with lbbench sweep, which tells it.";

/**
 * What to do next about a finding of an imported result, where that is something else than after a run of lbbench: the load was
 * another program's, and what is to be changed is its command.
 */
export const IMPORTED_REMEDIES: ReadonlyMap<FindingCode, string | ((figures: Figures) => string)> = new Map<
  FindingCode,
  string | ((figures: Figures) => string)
>([
  [
    "ALL_FAILED",
    `Request the URL once by hand, correct what the load generator asks for, ${RUN_AGAIN} Where lower levels were answered, read how requests failed, and take the last of those levels for the limit.`,
  ],
  [
    "BODY_MISMATCH",
    "Compare two answers by hand; leave out what the load generator was told to expect of them if bodies differ for good reasons.",
  ],
  ["COMPARISON_INCONCLUSIVE", `${MORE_RUNS} Fix the cause named above.`],
  [
    "CONNECTIONS_STARVED",
    "Let the load generator run longer, so that all connections get their turn; read percentiles at this level as those of the connections that were served.",
  ],
  ["DRIFT", "Let the load generator warm the target up for longer, and run for longer; look at what grows."],
  [
    "FD_LIMIT",
    "Raise the limit in the shell that starts the load generator (ulimit -n 65536), or use fewer connections.",
  ],
  [
    "FIGURE_NOT_TOLD",
    (of) =>
      of.text("program") === "lbbench"
        ? "Read the result.json that lies beside ab.txt instead (lbbench report): it tells all that was measured."
        : NOT_TOLD,
  ],
  [
    "GENERATOR_SATURATED",
    "Use more threads or processes of the load generator, or a faster one; read the throughput as a lower bound.",
  ],
  [
    "KEEPALIVE_REFUSED",
    "Switch keep-alive on in the server, or off in the load generator, if that is what is to be measured.",
  ],
  [
    "LEVEL_NOT_REACHED",
    "Raise the target's limits, or let the load generator run longer; the figures belong to the load that was there.",
  ],
  ["LIMIT_DOUBTFUL", "Fix the cause of the finding it names, then search again with lbbench max."],
  ["LIMIT_NOT_FOUND", "Search with lbbench max, which goes on until the target breaks."],
  [
    "LITTLES_LAW",
    "Check that the output is whole and of one run, and that the connections are those that the load generator had; measure with lbbench sweep to see which figure is false.",
  ],
  [
    "NON_2XX",
    "Request the URL once by hand. If the status is not right, read the target's log; if it is, these answers are good ones all the same.",
  ],
  ["NOT_WARM", "Let the load generator warm the target up for longer."],
  ["NO_WARMUP", "Run the load generator once before, for a second or more, and import only the runs after that."],
  [
    "REQUESTS_FAILED",
    "Read what the load generator printed, and the log of the target, or measure the level with lbbench sweep, which tells failures apart.",
  ],
  [
    "REQUESTS_LOST",
    "Check that the output is whole and of one run; measure again with lbbench sweep, which accounts for every request.",
  ],
  ["SINGLE_TRIAL", MORE_RUNS],
  ["STEP_FAILED", `Correct what the message names, ${RUN_AGAIN}`],
  [
    "STOPPED_EARLY",
    "Nothing, if that is far enough; else run the load generator at the higher levels and import all outputs together.",
  ],
  [
    "TIMEOUTS",
    "Look for requests that never end; raise the timeout of the load generator only if clients would wait as long.",
  ],
  ["TLS_NOT_VERIFIED", "Nothing, if you know that the address is the target's."],
  ["STALLS", "Look at the target's log for what it does at that time."],
  ["TOO_SHORT", `Let the load generator send more requests, or run for 3 seconds or longer, ${RUN_AGAIN}`],
  [
    "TRIALS_DISAGREE",
    `Close other programs and let each run last longer. ${MORE_RUNS} Trust the median with its interval only.`,
  ],
  [
    "WITHIN_NOISE",
    `Claim no difference. To find a smaller one: ${MORE_RUNS.charAt(0).toLowerCase()}${MORE_RUNS.slice(1)} Let nothing else run meanwhile.`,
  ],
  ["WORSE_THAN_REFERENCE", "Look for the bottleneck at that level."],
]);
