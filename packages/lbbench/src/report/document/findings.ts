import { CONCLUSIONS } from "../../judge/findings.js";
import type { Finding, FindingCode, Severity } from "../../model/finding.js";
import { describeFindings } from "../finding-text.js";
import { messageLine } from "../plain-line.js";
import type { Block, FindingGroup, FindingKind } from "./block.js";
import type { ReportModel } from "../report-model.js";
import { defined } from "../../stats/defined.js";

/** Errors that say nothing against the numbers: what was asked of the target does not hold. */
const FAILED: ReadonlySet<FindingCode> = new Set(["NOTHING_HELD", "THRESHOLD_FAILED", "WORSE_THAN_REFERENCE"]);

const SEVERITIES: readonly (readonly [severity: Severity, head: string])[] = [
  ["error", "Errors: these numbers are false, or of the wrong thing"],
  ["warning", "Warnings: these numbers mean less than they seem"],
  ["info", "Worth knowing"],
];

/** What was noticed beside what the run shows, the worst first; findings of the same kind share their cause, and what to do once for all that it is said of. */
export function findings({ result: { verdict, scenario, imported } }: ReportModel): readonly Block[] {
  const noticed = verdict.findings.filter(({ code }) => !CONCLUSIONS.has(code));
  if (noticed.length === 0) return [];
  const origin = imported === undefined ? "measured" : "imported";
  const kindsOf = (isOf: (finding: Finding) => boolean): readonly FindingKind[] =>
    groupKinds(noticed.filter(isOf), scenario.targets.length, origin);
  // Next to false numbers nothing has failed for certain.
  const failed =
    verdict.status === "inconclusive"
      ? "Not settled: by its figures what was asked for does not hold, but other findings leave them in doubt"
      : "Failed: what was asked for does not hold";
  const groups: readonly FindingGroup[] = [
    { head: failed, severity: "error", isFailure: true, kinds: kindsOf(({ code }) => FAILED.has(code)) },
    ...SEVERITIES.map(([severity, head]) => ({
      head,
      severity,
      isFailure: false,
      kinds: kindsOf((finding) => finding.severity === severity && !FAILED.has(finding.code)),
    })),
  ];
  return [{ kind: "findings", groups: groups.filter(({ kinds }) => kinds.length > 0) }];
}

function groupKinds(
  findings: readonly Finding[],
  targets: number,
  origin: "measured" | "imported",
): readonly FindingKind[] {
  const told = describeFindings(findings.map(withMessageLine), targets, origin);
  return told.map(({ code, title, texts, cause, remedies }): FindingKind => {
    const remedy = remedies.filter((one) => one !== NOTHING_TO_DO).join(" ");
    return { code, title, texts, cause, ...defined({ remedy: remedy === "" ? undefined : remedy }) };
  });
}

/** What remedies say where nothing is wrong. */
const NOTHING_TO_DO = "Nothing.";

/** The whole of a long message is among the results. */
function withMessageLine(finding: Finding): Finding {
  const { message } = finding.args;
  return typeof message === "string"
    ? { ...finding, args: { ...finding.args, message: messageLine(message) } }
    : finding;
}
