import type { FindingArgs } from "../model/finding.js";
import type { BytesPerAnswer } from "./bytes-per-answer.js";

/**
 * Why the bytes of answers differ.
 * - `body`: the answers have another body.
 * - `counting`: one engine counts head and body, the other the body alone, or nothing.
 * - `head`: bodies are alike, and one has far more besides.
 * - `unknown`: nobody tells the body, so that it may be any of these.
 */
export type BytesReason = "body" | "counting" | "head" | "unknown";

/** How the bytes of answers differ, and why. */
export interface BytesDifference {
  readonly reason: BytesReason;
  /** {received, body, otherReceived, otherBody}, in bytes per answer; what is not told is left out. */
  readonly figures: FindingArgs;
}

/**
 * Part of the smaller answer by which the larger one has to exceed it. What a balancer adds to the head of a short answer
 * is well below.
 */
const MUCH = 0.5;

/** No head of HTTP is shorter (`HTTP/1.1 200 OK` and an empty line are 19 bytes), nor are the frames of gRPC. */
const SHORTEST_HEAD = 15;

/** Says how the bytes per answer of one side differ from those of the other; nothing where they differ little, or are not told. */
export function compareBytes(one: BytesPerAnswer, other: BytesPerAnswer): BytesDifference | undefined {
  const reason = reasonOf(one, other);
  return reason === undefined
    ? undefined
    : { reason, figures: { ...named(one, "received", "body"), ...named(other, "otherReceived", "otherBody") } };
}

function reasonOf(one: BytesPerAnswer, other: BytesPerAnswer): BytesReason | undefined {
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

function differMuch(a: number, b: number): boolean {
  return Math.max(a, b) > Math.min(a, b) * (1 + MUCH);
}

/** Whether what was received has no room for a head. */
function isHeadless({ received, body }: BytesPerAnswer): boolean {
  return received !== undefined && received - (body ?? 0) < SHORTEST_HEAD;
}

function named(
  { received, body }: BytesPerAnswer,
  ...[whole, part]: readonly [whole: string, part: string]
): FindingArgs {
  return {
    ...(received === undefined ? {} : { [whole]: received }),
    ...(body === undefined ? {} : { [part]: body }),
  };
}
