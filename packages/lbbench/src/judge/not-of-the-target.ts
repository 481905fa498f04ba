import type { Finding, FindingCode } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { failedRequests } from "../stats/request-counts.js";

/** Findings that make figures false, whatever their severity. */
const FALSE_FIGURES: ReadonlySet<FindingCode> = new Set(["LITTLES_LAW", "REQUESTS_LOST"]);

/** Limits of this machine: as an error its failures are not the target's; as a warning it is only near. */
const OWN_LIMITS: ReadonlySet<FindingCode> = new Set(["FD_LIMIT", "PORTS_EXHAUSTED"]);

/**
 * Whether a step says nothing of how its target answers to load: its figures are false ({@link isMistaken}), or it was too short.
 * One in which nothing was answered is never too short to show that.
 */
export function isFalse(step: Pick<StepResult, "findings" | "measurement">): boolean {
  const isTooShort = step.findings.some(({ code }) => code === "TOO_SHORT") && step.measurement?.requests.ok !== 0;
  return isTooShort || isMistaken(step);
}

/**
 * Whether the requests of a step tell nothing of its target, however long it was: they are counted wrongly, or this machine ran out of
 * ports or file descriptors.
 */
export function isMistaken({ findings }: Pick<StepResult, "findings">): boolean {
  return findings.some(({ code, severity }) => (OWN_LIMITS.has(code) ? severity === "error" : FALSE_FIGURES.has(code)));
}

/** Whether the throughput of a step is not that of the target under its load: {@link isFalse}, or a limit of the generator. */
export function isNotOfTheTarget(step: Pick<StepResult, "findings" | "measurement">): boolean {
  return isFalse(step) || step.findings.some(({ code }) => GENERATOR.has(code));
}

const GENERATOR: ReadonlySet<FindingCode> = new Set(["GENERATOR_SATURATED", "LEVEL_NOT_REACHED"]);

/**
 * Whether a fall of goodput in a step may be the generator's: it was at its limit, late, or had fewer connections than asked for.
 * Failures that it reports are real all the same, and what could not leave for want of answers is the target's.
 */
export function mayBeOfTheGenerator({ findings, measurement }: Pick<StepResult, "findings" | "measurement">): boolean {
  const requests = measurement?.requests;
  return (requests === undefined || failedRequests(requests) === 0) && findings.some(isOfTheGenerator);
}

function isOfTheGenerator({ code, args }: Finding): boolean {
  return GENERATOR.has(code) && !Object.hasOwn(args, "unsent");
}
