import type { Finding } from "../../model/finding.js";
import type { Result } from "../../model/result.js";
import { describeFinding } from "../finding-text.js";
import type { Miss } from "./test-case.js";

/** Makes a miss of findings: the first is its type and message, all are described beneath; `undefined` without any. */
export function missOf(
  kind: Miss["kind"],
  findings: readonly Finding[],
  { imported }: Pick<Result, "imported">,
): Miss | undefined {
  const [first] = findings;
  if (first === undefined) return undefined;
  const origin = imported === undefined ? "measured" : "imported";
  return {
    kind,
    type: first.code,
    message: describeFinding(first, origin).text,
    details: findings.flatMap((finding) => {
      const { title, text, cause, remedy } = describeFinding(finding, origin);
      return [`${finding.code}: ${title}`, text, cause, remedy, ""];
    }),
  };
}
