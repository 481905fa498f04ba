import type { FindingCode } from "../model/finding.js";
import { REFUSAL_STATUSES } from "../stats/request-counts.js";
import { fastFailuresSentence } from "./figures-prose.js";
import { countThings, type Figures, type FindingProse } from "./finding-figures.js";

/** The words for findings about failed and unexpected answers. */
export const REQUESTS_PROSE = {
  ALL_FAILED: {
    title: "Nothing was answered as expected",
    sentence: (of) =>
      of.text(nameOf(of, "sent")) === "0"
        ? "no request was answered, nor did any fail, before the measurement ended"
        : of.text(nameOf(of, "sent")) === of.text(nameOf(of, "inFlight"))
          ? `none of ${countThings(of, nameOf(of, "sent"), "request")} was answered before the measurement ended`
          : `none of ${countThings(of, nameOf(of, "sent"), "request")} was answered as expected`,
    cause:
      "The wrong path, method or port, a check that does not fit the answers, or a target that does not work; where lower levels were answered, overload. Figures of failed answers say nothing about the target: errors are often quicker than answers.",
    remedy:
      "Request the URL once by hand, then correct the URL, or say with --expect-status and --expect-body which answers are right. Where lower levels were answered, read how requests failed, and take the last of those levels for the limit.",
  },
  BODY_MISMATCH: {
    title: "Answers with an unexpected body",
    sentence: (of) =>
      `${share(of)} ${were(of)} answered with another body than expected, or with something that is not HTTP`,
    cause: "The body contains something that changes (a time, a counter), or an error page comes with status 200.",
    remedy: "Compare an answer with --expect-body; leave the option out if bodies differ for good reasons.",
  },
  CONNECTIONS_RESET: {
    title: "Connections were reset",
    sentence: (of) => `${share(of)} ended with the connection reset`,
    cause:
      "The target, or a proxy in front of it, aborted the connection: overload, a crash, a full backlog, or a limit.",
    remedy: "Look into the target's log for that time, and lower the connections to find the level where it begins.",
  },
  CONNECTIONS_STARVED: {
    title: "Connections that were hardly served",
    sentence: (of) =>
      `only ${of.rate("answered")} of ${countThings(of, "asked", "connection")} were being served on average, and the waiting time of the others is not in the latency figures`,
    cause:
      "The target serves some connections over and over while others wait, often in the backlog: a busy event loop accepts only a few new connections at a time. Latencies look better than what all connections together saw.",
    remedy:
      "Measure with a longer --duration and --warmup, so that all connections get their turn; read percentiles at this level as those of the connections that were served.",
  },
  CONNECT_ERRORS: {
    title: "Connections could not be made",
    sentence: (of) =>
      `${share(of)} found no connection${of.has(nameOf(of, "code")) ? `, most often because of ${of.text(nameOf(of, "code"))}` : ""}`,
    cause:
      "ECONNREFUSED: nothing listens there, or the backlog is full. ENOTFOUND: the host name is wrong. Else a limit of this machine, which has a finding of its own.",
    remedy: "Check that the target listens at that address; raise its backlog, or lower the connections.",
  },
  FAST_FAILURES: {
    title: "Failed answers are quicker than good ones",
    sentence: fastFailuresSentence,
    cause: "Errors are cheap to send, so they make latency look better in a tool that takes all answers for alike.",
    remedy:
      "Read the latency of ok responses beside the share that failed, and never a figure in which both are mixed; take the last level without failures for the limit.",
  },
  KEEPALIVE_REFUSED: {
    title: "The server closes connections",
    sentence: (of) =>
      `${countThings(of, "established", "connection", true)} established for ${countThings(of, "answers", "answer")}, instead of ${of.count("opened")} that stay open`,
    cause:
      "The server or a proxy does not keep connections alive, or only for a few requests; every new one costs time.",
    remedy: "Switch keep-alive on in the server, or use --no-keepalive to say that this is what is to be measured.",
  },
  NON_2XX: {
    title: "Answers with an unexpected status",
    sentence: (of) =>
      `${share(of)} ${were(of)} answered with ${of.has("expected") ? `a status other than ${of.text("expected")}` : "an unexpected status"}${
        of.has(nameOf(of, "status")) ? `, most often ${of.text(nameOf(of, "status"))}` : ""
      }`,
    cause:
      "A wrong path or method (4xx), a target or proxy that fails under this load (5xx), or one that refuses what it has no room for (503, 429).",
    remedy: (of) =>
      REFUSAL_STATUSES.has(of.text(nameOf(of, "status")))
        ? "Where refusing is meant, take the last level without it for the limit, and look at what is still answered beyond; lbbench max finds it exactly. Where it is not, read the target's log."
        : "Request the URL once by hand. If the status is right, say so with --expect-status; if not, read the target's log.",
  },
  REQUESTS_DROPPED: {
    title: "Connections closed without an answer",
    sentence: (of) => `the server closed the connection before the answer was complete in ${share(of)}`,
    cause: "A worker that crashed or was restarted, an overload policy that drops requests, or a keep-alive timeout.",
    remedy: "Look into the target's log for that time, and lower the connections to find the level where it begins.",
  },
  REQUESTS_FAILED: {
    title: "Requests failed, it is not told how",
    sentence: (of) =>
      `${share(of)} failed, and ${of.text("program") === "lbbench" ? "the ab.txt of lbbench" : of.has("program") ? of.text("program") : "the load generator"} does not tell how`,
    cause:
      "Connections closed or reset before the answer was complete, or something that is not HTTP: the program counts them together. To ab an answer of another length than the first one is a failure, too, unless its connection is kept alive.",
    remedy: "Repeat the level with an engine that tells failures apart (leave out --engine).",
  },
  TIMEOUTS: {
    title: "Requests timed out",
    sentence: (of) =>
      `${share(of)} had no complete answer within ${of.has("timeoutMs") ? of.duration("timeoutMs") : "the timeout"}`,
    cause: "The target hangs, or its queue is longer than the timeout allows.",
    remedy: "Look for requests that never end; raise --timeout only if clients would wait as long.",
  },
  TLS_NOT_VERIFIED: {
    title: "The certificate was not checked",
    sentence: () => "the engine does not check the certificate of an https target",
    cause: "The engine cannot switch verification on; encryption and its cost are real all the same.",
    remedy: "Nothing, if you know that the address is the target's; else choose an engine that verifies.",
  },
} satisfies Partial<Readonly<Record<FindingCode, FindingProse>>>;

/** A figure of all the steps of a finding, where there are several, else of its only one. */
function nameOf(of: Figures, name: string): string {
  const ofAll = `all${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return of.has("allSent") ? ofAll : name;
}

function share(of: Figures): string {
  const [count, sent] = [nameOf(of, "count"), nameOf(of, "sent")];
  return `${of.count(count)} of ${countThings(of, sent, "request")} (${of.percent(nameOf(of, "share"))})`;
}

function were(of: Figures): string {
  return of.number(nameOf(of, "count")) === 1 ? "was" : "were";
}
