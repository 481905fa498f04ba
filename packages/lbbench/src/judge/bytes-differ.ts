import type { Finding } from "../model/finding.js";
import type { Result } from "../model/result.js";
import { groupBy } from "../stats/group-by.js";
import { bytesPerAnswer } from "./bytes-per-answer.js";
import { compareBytes } from "./compare-bytes.js";
import type { BytesReason } from "./compare-bytes.js";

/** Heads differ for good reasons, and then transfer rates differ in truth. */
const HARMLESS: ReadonlySet<BytesReason> = new Set(["head"]);

/**
 * `BYTES_DIFFER` {target, other, reason, received, body, otherReceived, otherBody} for each target whose answers have other bytes
 * than those of what it is compared with, or of the first target where there is no reference, by half or more; with {engine, otherEngine} where
 * different engines counted them.
 */
export function findBytesDiffer({ scenario, steps }: Pick<Result, "scenario" | "steps">): readonly Finding[] {
  const byTarget = groupBy(steps, ({ target }) => target);
  const names = scenario.targets.map(({ name }) => name);
  const reference = scenario.reference ?? names[0];
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
    const [engine, otherEngine] = [own[0]?.engine ?? "", otherSteps[0]?.engine ?? ""];
    const engines = engine === otherEngine ? {} : { engine, otherEngine };
    const severity = HARMLESS.has(reason) ? "info" : "warning";
    return [{ code: "BYTES_DIFFER", severity, args: { target, other, reason, ...figures, ...engines } }];
  });
}
