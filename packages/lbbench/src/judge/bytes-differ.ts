import type { Finding } from "../model/finding.js";
import type { StepResult } from "../model/result.js";
import { sumOf } from "../stats/descriptive.js";
import { groupBy } from "../stats/group-by.js";
import { failedRequests } from "../stats/request-counts.js";
import { found, type Run } from "./found.js";
import { defined } from "../stats/defined.js";

/** `BYTES_DIFFER` for each target against what it is compared with, or the first target where there is no reference. */
export function findBytesDiffer({ scenario, steps }: Run): readonly Finding[] {
  const byTarget = groupBy(steps, ({ target }) => target);
  const reference = scenario.reference ?? scenario.targets[0]?.name;
  if (reference === undefined) return [];
  const pairs = scenario.targets.flatMap(({ name, references = [reference] }) =>
    references.map((other) => ({ target: name, other })),
  );
  return pairs.flatMap(({ target, other }): readonly Finding[] => {
    const own = byTarget.get(target) ?? [];
    const otherSteps = byTarget.get(other) ?? [];
    const difference = target === other ? undefined : compareBytes(bytesPerAnswer(own), bytesPerAnswer(otherSteps));
    if (difference === undefined) return [];
    const { reason, figures } = difference;
    const [engine, otherEngine] = [own[0]?.engine, otherSteps[0]?.engine];
    const engines = engine === otherEngine ? {} : { engine, otherEngine };
    // Heads differ for good reasons, and then transfer rates differ in truth.
    const severity = reason === "head" ? "info" : "warning";
    return found("BYTES_DIFFER", severity, { target, other, reason, ...figures, ...engines });
  });
}

/**
 * Why the bytes of answers differ.
 * - `body`: the answers have another body.
 * - `counting`: one engine counts head and body, the other the body alone, or nothing.
 * - `head`: bodies are alike, and one has far more besides.
 * - `unknown`: the body is not told, so that it may be any of these.
 */
type BytesReason = "body" | "counting" | "head" | "unknown";

/** Part of the smaller answer by which the larger one has to exceed it: far above what a balancer adds to the head of a short answer. */
const MUCH = 0.5;
const differMuch = (a: number, b: number): boolean => Math.max(a, b) > Math.min(a, b) * (1 + MUCH);

/** No head of HTTP is shorter (`HTTP/1.1 200 OK` and an empty line are 19 bytes), nor are the frames of gRPC. */
const SHORTEST_HEAD = 15;

/** Says why the bytes per answer of one side differ from those of the other; nothing where they differ little, or are not told. */
export function compareBytes(one: BytesPerAnswer, other: BytesPerAnswer) {
  const reason = whyDifferent(one, other);
  const others = defined({ otherReceived: other.received, otherBody: other.body });
  return reason && { reason, figures: { ...one, ...others } };
}

function whyDifferent(one: BytesPerAnswer, other: BytesPerAnswer): BytesReason | undefined {
  if (haveOtherBodies(one, other)) return "body";
  const [received, otherReceived] = [one.received, other.received];
  if (received === undefined || otherReceived === undefined || !differMuch(received, otherReceived)) return undefined;
  if (isHeadless(one) !== isHeadless(other)) return "counting";
  return one.body === undefined || other.body === undefined ? "unknown" : "head";
}

/** Bodies that differ little beside a head that both have leave the transfer rates comparable. */
function haveOtherBodies(one: BytesPerAnswer, other: BytesPerAnswer): boolean {
  if (one.body === undefined || other.body === undefined) return false;
  const whole = Math.min(one.received ?? one.body, other.received ?? other.body);
  const rest = Math.max(0, whole - Math.min(one.body, other.body));
  return differMuch(one.body + rest, other.body + rest);
}

/** Whether what was received has no room for a head. */
function isHeadless({ received, body }: BytesPerAnswer): boolean {
  return received !== undefined && received - (body ?? 0) < SHORTEST_HEAD;
}

/** Bytes of an answer, as an engine counted them: `received` of head and body. Absent is what it does not tell. */
export type BytesPerAnswer = Readonly<Partial<Record<"received" | "body", number>>>;

/** Fewer answers are outweighed by what was still under way at the end. */
const FEWEST_ANSWERS = 10;

/** Answers that failed have bytes of their own; more of them than this part bend the mean. */
const MOST_FAILED = 0.01;

/** Returns the mean bytes of the answers of the steps with next to no failure; nothing without such steps. */
export function bytesPerAnswer(steps: readonly StepResult[]): BytesPerAnswer {
  const sound = steps
    .flatMap(({ state, measurement }) => (state === "completed" ? (measurement ?? []) : []))
    .filter(({ requests }) => failedRequests(requests) <= requests.sent * MOST_FAILED);
  const mean = (key: keyof BytesPerAnswer): BytesPerAnswer => {
    const told = sound.filter(({ bytes }) => bytes[key] !== undefined);
    const answers = sumOf(told, ({ requests }) => requests.ok);
    const all = sumOf(told, ({ bytes }) => bytes[key] ?? 0);
    return answers >= FEWEST_ANSWERS ? { [key]: all / answers } : {};
  };
  return { ...mean("received"), ...mean("body") };
}
