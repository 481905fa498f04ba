import type { FindingCode } from "../model/finding.js";
import type { DoubtReason } from "../model/measurement.js";
import { describeRequests } from "./describe-level.js";
import { countThings, type Figures, type FindingProse, unitOf } from "./finding-figures.js";

/** The words for findings about figures that are false, missing or mean little. */
export const FIGURES_PROSE = {
  BYTES_DIFFER: {
    title: "Answers of different size",
    sentence: bytesSentence,
    cause:
      "The targets answer with different bodies, so that they do not do the same work; a proxy compresses or adds headers; or one engine counts head and body and the other only the body.",
    remedy:
      "Do not compare transfer rates. Request each URL once by hand and let them answer alike; measure all targets with the same engine.",
  },
  DRIFT: {
    title: "The throughput drifted",
    sentence: (of) =>
      `the throughput of the second half is ${of.size("change")} % ${of.number("change") < 0 ? "lower" : "higher"} than that of the first`,
    cause:
      "It rises where the target is still warming up: code is being compiled, caches are filling. It falls where something grows, such as memory or a queue, or where the machine slows down.",
    remedy: (of) =>
      of.number("change") < 0
        ? "Use a longer --duration to see where it ends, and look at what grows."
        : "Use a longer --warmup, and a longer --duration.",
  },
  FIGURE_DOUBTFUL: {
    title: "A figure is not what it seems",
    sentence: (of) => `${of.text("program")}: ${DOUBTS.get(of.text("because"))?.sentence ?? of.text("because")}`,
    cause: "Known ways of this program to count, which its output does not show.",
    remedy: (of) =>
      DOUBTS.get(of.text("because"))?.remedy ?? "Measure again with lbbench sweep, which does not count in that way.",
  },
  FIGURE_NOT_TOLD: {
    title: "A figure is not told",
    sentence: (of) =>
      `${of.text("program") === "lbbench" ? "the ab.txt of lbbench" : `the program ${of.text("program")}`} does not tell the ${of.text("figure")} of the ${of.text("ok") === "1" ? "one answer that was" : `${of.count("ok")} answers that were`} ok${
        of.text("ok") === of.text("sent") ? "" : " apart from that of others"
      }`,
    cause:
      "Programs that are driven mix the times of failed requests with those of good ones, or round them to nothing.",
    remedy: "Use an engine that tells it (leave out --engine), or a level at which nothing fails.",
  },
  IDENTICAL_FIGURES: {
    title: "Figures are identical, digit for digit",
    sentence: (of) =>
      `${of.text("target") === of.text("other") ? `the latencies of ${countThings(of, "copied", "step")} are those of another of its steps` : `its latencies are those of ${of.text("other")}`}, digit for digit (${of.count("figures")} different numbers)`,
    cause:
      "Measurements never agree in so many digits. A table was copied over another, an old output was read again, or the figures were made up.",
    remedy: "Find out which of the two is the original, and measure the other again.",
  },
  IMPORT_DOUBTFUL: {
    title: "Lines of the imported output contradict each other",
    sentence: (of) => `these lines of ${of.text("program")} cannot all be true: ${of.text("lines")}`,
    cause: "A line was mistyped, changed by hand, or comes from another run.",
    remedy: "Compare these lines with the original output. Correct them and import the file again.",
  },
  LITTLES_LAW: {
    title: "Latency and throughput contradict each other",
    sentence: (of) =>
      of.text("kind") === "users"
        ? `throughput times mean latency makes ${of.rate("computed")} users on average, but there were ${of.rate("asked")}`
        : `throughput times mean latency makes ${of.rate("computed")} connections, but there were ${of.count("asked")}`,
    cause:
      "More than there were: latencies are counted wrongly. Fewer: time is missing from the latencies, because of a fault in the engine or because requests hung unanswered until the end.",
    remedy:
      "Give hanging requests their time with a --duration above --timeout. If that changes nothing, report it with the result.json: it is a fault of the engine.",
  },
  NOT_WARM: {
    title: "The target was not warm",
    sentence: (of) => `the throughput was not steady after ${of.duration("warmupMs")} of warm-up`,
    cause: "The target compiles code or fills caches for longer, or its throughput never settles.",
    remedy: "Set --warmup to a longer time. Read the figures as those of a target that is not warm yet.",
  },
  NO_WARMUP: {
    title: "No warm-up",
    sentence: () => "the target was measured without a warm-up",
    cause:
      "The first requests are slower, because code is not yet compiled and caches are empty, and they are counted.",
    remedy: "Set --warmup to 1s or more, unless the cold start is what is to be measured.",
  },
  REQUESTS_LOST: {
    title: "Requests do not add up",
    sentence: (of) =>
      of.has("counted")
        ? `${countThings(of, "completed", "request", true)} answered, but the balancer passed on ${of.count("counted")}`
        : `${countThings(of, "sent", "request", true)} sent, but ${of.count("accounted")} are accounted for`,
    cause: "A fault in the counting of the engine or the balancer, or requests that went to something else.",
    remedy:
      "Check that nothing else uses the address of the target. If so, report it with the result.json: it is a fault.",
  },
  SINGLE_TRIAL: {
    title: "A single trial",
    sentence: () => "everything was measured once",
    cause:
      "One run tells nothing about how much the figures vary. No difference at a single level can be told from noise.",
    remedy: "Use --trials 6 or more to compare targets, or this run with another.",
  },
  STALLS: {
    title: "The target paused",
    sentence: stallSentence,
    cause:
      "A garbage collection, work that blocks the event loop, a lock, or a disk that everybody waits for. On a virtual machine the host may have paused all of it.",
    remedy:
      "Look at the chart over time for how often it happens, and at the target's log for what it does then. Compare with an open loop (-r), in which a pause counts for every request that was due.",
  },
  TOO_SHORT: {
    title: "The measurement was too short",
    sentence: (of) =>
      `it lasted ${of.duration("elapsedMs")}, less than the ${of.duration("minimumMs")} that figures need to settle`,
    cause: "Too few requests for so fast a target: start-up and single pauses weigh more than the target itself.",
    remedy: "Use more --requests, or --duration 3s.",
  },
  TRIALS_DISAGREE: {
    title: "Trials disagree",
    sentence: (of) =>
      `${of.count("trials")} trials gave between ${of.rate("low")} and ${of.rate("high")} ok responses/s, ${of.percent("spread")} of the median apart${
        of.text("levels").includes(",")
          ? ` (the worst, at ${of.counts(["rate", "users"].find(of.has) ?? "connections")})`
          : ""
      }`,
    cause: "Something else was running, the processor changed its clock, or the target itself varies.",
    remedy: "Close other programs, use a longer --duration and more --trials; trust the median with its interval only.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

function stallSentence(of: Figures): string {
  const where = `in ${of.count("seconds")} of ${countThings(of, "of", "second")}`;
  const hung = of.has("worstMs")
    ? [`the slowest answer took up to ${of.duration("worstMs")}; in a usual second it takes ${of.duration("usualMs")}`]
    : [];
  const fallen = of.has("least")
    ? [`as few as ${countThings(of, "least", "answer")} came; in a usual second ${of.count("usual")} do`]
    : [];
  return `${where} ${[...hung, ...fallen].join("; ") || "requests had to wait"}`;
}

/** Says by how much the bytes of answers differ, and why. */
function bytesSentence(of: Figures): string {
  const other = of.text("other");
  const by = of.has("engine") ? ` (engine ${of.text("engine")}, there ${of.text("otherEngine")})` : "";
  const whole = `${of.count("received")} bytes per answer were counted, and ${of.count("otherReceived")} of ${other}`;
  switch (of.text("reason")) {
    case "body":
      return `its answers have ${countThings(of, "body", "byte")} of body, those of ${other} ${of.count("otherBody")}${by}`;
    case "counting":
      return `${whole}${by}: only one of the two counts head and body`;
    case "head":
      return `${whole}${by}, although the bodies are alike`;
    default:
      return `${whole}${by}: the answers differ, or the engines count different things`;
  }
}

/** Says what a tool would show that takes failed answers for good ones. */
export function fastFailuresSentence(of: Figures): string {
  const failed = `${of.count("count")} of ${countThings(of, "answers", "answer")} (${of.percent("share")}) failed, half of what failed within ${of.time("failedP50")}`;
  const medians = `a median of at most ${of.time("mixedP50")} in place of ${of.time("p50")}`;
  const means = of.has("mixedMean") ? `, and a mean of ${of.time("mixedMean")} in place of ${of.time("mean")}` : "";
  const lighter = of.has("lighter")
    ? `, as if it were faster than with ${of.count("lighter")} (${of.time("lighterP50")})`
    : "";
  return `${failed}; mixed with the good ones they would give ${medians}${means}${lighter}`;
}

/** Says which differences the trials do not tell from noise. */
export function noiseSentence(of: Figures): string {
  const metric = of.text("metric");
  const parts = [
    { size: "highest", word: "above", where: "higher" },
    { size: "lowest", word: "below", where: "lower" },
  ].flatMap(({ size, word, where }) =>
    of.has(where)
      ? [
          `up to ${of.percent(size).replace("-", "")} ${word} that of ${of.text("reference")} at ${of.counts(where)} ${unitOf(of, of.text(where))}${amountsOf(of, `${where}Requests`)}`,
        ]
      : [],
  );
  return `${metric} was measured ${parts.join(" and ") || "?"}, but ${of.count("trials")} trials do not tell that from noise`;
}

/** Of a matrix, the numbers of requests of these levels. */
function amountsOf(of: Figures, name: string): string {
  return of.has(name) ? ` with ${describeRequests(of.text(name))}` : "";
}

interface DoubtProse {
  readonly sentence: string;
  readonly remedy: string;
}

const PROSE: Readonly<Record<Exclude<DoubtReason, "contradiction">, DoubtProse>> = {
  "whole-seconds": {
    sentence:
      "a run of N requests ends for it at the next whole second, so that the time is too long, and the throughput at least what is shown",
    remedy: "Use a run by duration, or lbbench sweep, which ends with the last answer.",
  },
  "closed-uncounted": {
    sentence:
      "a connection that is closed without an answer is no error to it, so that more requests may have failed than it counts",
    remedy: "Compare with the log of the target, or measure with lbbench sweep, which counts them.",
  },
  "made-up-latencies": {
    sentence:
      "for every answer that took more than twice the mean it adds latencies that nobody measured, so that the percentiles are too high",
    remedy: "Measure with lbbench sweep; its engine wrk takes these latencies out again.",
  },
  "corrected-latencies": {
    sentence:
      "with a rate (-R) it adds latencies that nobody measured for every answer that took longer than a millisecond, its correction for requests that left late, so that no percentile is one of the answers",
    remedy: "Measure the rate with lbbench sweep, which counts latency from when each request was due.",
  },
  "other-lengths": {
    sentence:
      "an answer of another length than the first one is a failure to it, whatever its status, and it does not tell how many of those were good, or had an unexpected status, so that more or fewer may have failed than is shown",
    remedy:
      "Ask for a page whose length does not change, or measure with an engine that counts each request once, as the one of lbbench sweep does.",
  },
  "failures-untold": {
    sentence: "the output does not tell whether requests failed, so that all of them count as ok",
    remedy: "Import the whole output.",
  },
  "time-untold": {
    sentence: "the output tells neither a time nor a rate, so that there is no throughput",
    remedy: "Import the whole output.",
  },
  "varying-load": {
    sentence: "the number of users was not the same all the time, so that the figures are of no single load",
    remedy: "Use a constant number of users, or lbbench ramp for a load that rises.",
  },
};

/** The words for the reasons why a figure of a program is doubtful, by reason. */
const DOUBTS: ReadonlyMap<string, DoubtProse> = new Map(Object.entries(PROSE));
