import type { Finding } from "../model/finding.js";
import type { Scenario } from "../model/scenario.js";
import type { UnjudgedStep } from "./step-rule.js";

/**
 * `LEVEL_NOT_REACHED` {asked, opened} when fewer connections were ever open than were asked for: those of the level, or
 * where its users share connections, those that they were to share.
 */
export function findLevelNotReached({ state, measurement }: UnjudgedStep): readonly Finding[] {
  // An interrupted step may have had no time to open them all.
  if (measurement === undefined || state === "aborted") {
    return [];
  }
  const { asked, opened } = measurement.connections;
  return opened < asked ? [{ code: "LEVEL_NOT_REACHED", severity: "warning", args: { asked, opened } }] : [];
}

/**
 * Connections opened anew without a failure, per answer. Servers close now and then for good reasons (nginx after 1000
 * requests); from one in ten answers on, the cost of connecting shows in the figures.
 */
const RECONNECTS_PER_ANSWER = 0.1;

/** `KEEPALIVE_REFUSED` {established, opened, answers} when the server closes connections that were to be kept. */
export function findKeepAliveRefused({ measurement }: UnjudgedStep, { keepAlive }: Scenario): readonly Finding[] {
  if (measurement === undefined || !keepAlive) {
    return [];
  }
  const { requests, connections } = measurement;
  const { established, opened } = connections;
  const answers = requests.ok + requests.non2xx;
  const explained = requests.mismatched + requests.resets + requests.dropped + requests.timedOut;
  const unexplained = established - opened - explained;
  return unexplained > 0 && unexplained >= answers * RECONNECTS_PER_ANSWER
    ? [{ code: "KEEPALIVE_REFUSED", severity: "info", args: { established, opened, answers } }]
    : [];
}
