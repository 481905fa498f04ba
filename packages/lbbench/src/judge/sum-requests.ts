import type { Finding, FindingArgs } from "../model/finding.js";

/** What the findings about failed requests count; of these the sum over several steps is a figure, too. */
const COUNTS = ["count", "sent", "inFlight"] as const;

/** What of the steps of a group holds for all of them only where they agree. */
const MOST_OFTEN = ["status", "code"] as const;

/**
 * Returns, for several findings that count failed requests {count, sent} or tell that all of them failed, the same for all of their
 * steps together: {allCount, allSent, allShare, allInFlight}, and {allStatus, allCode} where the most frequent one is the same
 * everywhere. Nothing for a single finding, nor for those that count something else.
 */
export function sumRequests(findings: readonly Finding[]): FindingArgs {
  const [first] = findings;
  if (first === undefined || findings.length < 2) return {};
  const isCounting =
    Object.hasOwn(first.args, "sent") && (first.code === "ALL_FAILED" || Object.hasOwn(first.args, "count"));
  if (!isCounting) return {};
  const sums = COUNTS.filter((name) => Object.hasOwn(first.args, name)).map((name) => [
    name,
    findings.reduce((sum, { args }) => sum + Number(args[name] ?? 0), 0),
  ]) as readonly (readonly [string, number])[];
  const { count, sent = 0 } = Object.fromEntries(sums) as { readonly count?: number; readonly sent?: number };
  const shared = MOST_OFTEN.flatMap((name) => {
    const values = new Set(findings.map(({ args }) => args[name]));
    const [value] = values;
    return value === undefined || values.size > 1 ? [] : [[name, value] as const];
  });
  const share = count === undefined ? [] : [["share", sent > 0 ? count / sent : 1] as const];
  return Object.fromEntries(
    [...sums, ...share, ...shared].map(([name, value]) => [
      `all${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
}
