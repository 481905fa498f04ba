import { describeFinding, describeLoad, type SweepEvent } from "../index.js";
import { toPrintable } from "./printable.js";

/** Returns the line that tells what a step may run out of, before its load is sent. */
export function describeWarning({ step, finding }: Extract<SweepEvent, { readonly type: "warning" }>): string {
  const { target, level } = step;
  return toPrintable(`warning ${finding.code}: ${target} at ${describeLoad(level)}: ${describeFinding(finding).text}`);
}
