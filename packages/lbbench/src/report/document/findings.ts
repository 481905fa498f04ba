import { CONCLUSIONS } from "../../judge/findings.js";
import type { Finding, FindingCode } from "../../model/finding.js";
import { describeFindings } from "../finding-text.js";
import { messageLine } from "../plain-line.js";
import type { Block, FindingGroup } from "./block.js";
import type { ReportModel } from "../report-model.js";

const FAILED: ReadonlySet<FindingCode> = new Set(["NOTHING_HELD", "THRESHOLD_FAILED", "WORSE_THAN_REFERENCE"]);

const HEADS: readonly (readonly [look: FindingGroup["look"], head: string])[] = [
  ["error", "Errors: these numbers are false, or of the wrong thing"],
  ["warning", "Warnings: these numbers mean less than they seem"],
  ["info", "Worth knowing"],
];

/** What was noticed beside what the run shows, the worst first; findings of the same kind share their cause, and what to do once for all that it is said of. */
export function findings({ result: { verdict, scenario, imported } }: ReportModel): readonly Block[] {
  const noticed = verdict.findings.filter(({ code }) => !CONCLUSIONS.has(code)).map(withMessageLine);
  if (noticed.length === 0) return [];
  const origin = imported === undefined ? "measured" : "imported";
  // Next to false numbers nothing has failed for certain.
  const failed =
    verdict.status === "inconclusive"
      ? "Not settled: by its figures what was asked for does not hold, but other findings leave them in doubt"
      : "Failed: what was asked for does not hold";
  const groups = [["failure", failed] as const, ...HEADS].map(([look, head]): FindingGroup => {
    const own = noticed.filter(({ code, severity }) => look === (FAILED.has(code) ? "failure" : severity));
    const told = describeFindings(own, scenario.targets.length, origin);
    const kinds = told.map(({ code, title, texts, cause, remedies }) => {
      const remedy = remedies.filter((one) => one !== NOTHING_TO_DO).join(" ") || undefined;
      return { code, title, texts, cause, remedy };
    });
    return { head, look, kinds };
  });
  return [{ kind: "findings", groups: groups.filter(({ kinds }) => kinds.length > 0) }];
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
