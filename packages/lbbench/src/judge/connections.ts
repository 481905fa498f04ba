import type { Finding } from "../model/finding.js";
import type { ToldScenario } from "../model/scenario.js";
import type { UnjudgedStep } from "./step-rule.js";

/** A schedule is kept where a request leaves this part of the gap between two late, at most, on average. */
const LATE_SHARE = 1;

/**
 * `LEVEL_NOT_REACHED` when less load was there than was asked for. In a closed loop {asked, opened}: fewer connections were
 * ever open than those of the level, or, where its users share connections, than those that they were to share. In an open
 * loop {rate, planned, unsent} when requests could not leave, or {rate, latenessMs} when the mean request left later than
 * the next one was due, because the generator did not keep up.
 */
export function findLevelNotReached({ state, level, measurement }: UnjudgedStep): readonly Finding[] {
  // An interrupted step may have had no time to open them all; of a ramp that was cut short not all users came.
  const isCutShort = state === "aborted" || (state === "failed" && level.users !== undefined);
  if (measurement === undefined || isCutShort) {
    return [];
  }
  const { schedule } = measurement;
  if (schedule !== undefined) {
    const { rate, planned, unsent, lateness } = schedule;
    const gapMs = 1000 / rate;
    if (unsent > 0) return [{ code: "LEVEL_NOT_REACHED", severity: "warning", args: { rate, planned, unsent } }];
    // Timers are good to about a millisecond, which is more than the gap of high rates.
    return lateness.mean > Math.max(gapMs * LATE_SHARE, 1)
      ? [{ code: "LEVEL_NOT_REACHED", severity: "warning", args: { rate, latenessMs: lateness.mean } }]
      : [];
  }
  const { asked, opened } = measurement.connections;
  return opened !== undefined && opened < asked
    ? [{ code: "LEVEL_NOT_REACHED", severity: "warning", args: { asked, opened } }]
    : [];
}

/**
 * Connections opened anew without a failure, per answer. Servers close now and then for good reasons (nginx after 1000
 * requests); from one in ten answers on, the cost of connecting shows in the figures.
 */
const RECONNECTS_PER_ANSWER = 0.1;

/** `KEEPALIVE_REFUSED` {established, opened, answers} when the server closes connections that were to be kept. */
export function findKeepAliveRefused({ measurement }: UnjudgedStep, { keepAlive }: ToldScenario): readonly Finding[] {
  if (measurement === undefined || keepAlive !== true) {
    return [];
  }
  const { requests, connections } = measurement;
  const { established, opened } = connections;
  if (established === undefined || opened === undefined) {
    return [];
  }
  const answers = requests.ok + requests.non2xx;
  const { mismatched = 0, resets = 0, dropped = 0, timedOut = 0 } = requests;
  const explained = mismatched + resets + dropped + timedOut;
  const unexplained = established - opened - explained;
  return unexplained > 0 && unexplained >= answers * RECONNECTS_PER_ANSWER
    ? [{ code: "KEEPALIVE_REFUSED", severity: "info", args: { established, opened, answers } }]
    : [];
}
