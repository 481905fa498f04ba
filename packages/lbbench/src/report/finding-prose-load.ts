import type { FindingCode } from "../model/finding.js";
import type { Figures } from "./finding-figures.js";
import type { FindingProse } from "./finding-figures.js";
import { unitOf } from "./finding-unit.js";
import { kneeRemedy, kneeSentence } from "./knee-prose.js";
import { scalabilitySentence } from "./scalability-prose.js";

/** The words for findings about what a target does as its load rises. */
export const LOAD_PROSE = {
  CLIFF: {
    title: "It falls off a cliff",
    sentence: (of) =>
      of.has("second")
        ? `${rampPlace(of)} on, ${failing(of)}goodput falls to ${of.percent("remaining")}: it falls off a cliff`
        : `goodput fell to ${of.percent("remaining")} of its best ${fallPlace(of)}, all at once`,
    cause:
      "Something gives way as a whole: a backlog or a connection limit, memory, a crash, or timeouts whose work is done for nothing.",
    remedy:
      "Stay below the last good level; bound queues and refuse what is too much early; measure the levels in between.",
  },
  DEGRADES: {
    title: "It degrades",
    sentence: (of) =>
      of.has("second")
        ? `${rampPlace(of)} on, ${failing(of)}goodput falls, at worst to ${of.percent("remaining")}: it degrades`
        : `goodput fell from ${firstBad(of)} on, at worst to ${of.percent("remaining")} of its best`,
    cause: "More load costs more than it brings: contention, memory pressure, work for requests that have given up.",
    remedy: "Take the load before the fall for its limit; look at what grows with the load, and bound it.",
  },
  KNEE: {
    title: "Where throughput stops growing",
    sentence: kneeSentence,
    cause:
      "Something is fully used from there on: a process or all cores, where one is named here or in the column Bottleneck; else something that requests wait for one after the other, such as a lock, a pool or the network.",
    remedy: kneeRemedy,
  },
  SCALABILITY: {
    title: "How it scales",
    sentence: scalabilitySentence,
    cause:
      "Work that one does at a time (contention: a lock, one event loop) bounds throughput; what all have to agree on (coherency: shared memory, a pool) makes it fall again beyond a peak.",
    remedy: "Look for what is shared. Before you rely on a peak that is extrapolated, measure levels around it.",
  },
  SHEDS: {
    title: "It refuses what is too much",
    sentence: (of) =>
      of.has("second")
        ? `${rampPlace(of)} on, requests are refused, while as many as at its best are answered: it sheds load`
        : `requests were refused from ${firstBad(of)} on, while as many as at its best were answered`,
    cause:
      "A limit that was set on purpose, such as a bounded queue, which is the best way to be overloaded; where connections are closed or reset in place of an answer, perhaps also a crash.",
    remedy: "Raise the limit only if there is capacity left; clients should wait before they try again.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

/** Where in a ramp: users, and the second in which they were there. */
function rampPlace(of: Figures): string {
  return `from ${firstBad(of)} (second ${of.count("second")})`;
}

function failing(of: Figures): string {
  if (!of.has("failsFrom")) return "";
  return of.text("failsFromSecond") === of.text("second")
    ? "requests fail and "
    : `requests fail (since second ${of.count("failsFromSecond")}) and `;
}

function fallPlace(of: Figures): string {
  return of.has("lastGood")
    ? `between ${of.count("lastGood")} and ${of.count("firstBad")} ${unitOf(of)}`
    : `at ${firstBad(of)}, the first level`;
}

/** `1 connection`, `50 connections` */
function firstBad(of: Figures): string {
  return `${of.count("firstBad")} ${unitOf(of, of.text("firstBad"))}`;
}
