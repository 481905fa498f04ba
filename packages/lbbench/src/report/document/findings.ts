import type { Finding, FindingCode, Severity, Verdict } from "../../model/finding.js";
import { groupBy } from "../../stats/group-by.js";
import type { ToldScenario } from "../../model/scenario.js";
import { describeFinding } from "../finding-text.js";
import { messageLine } from "../plain-line.js";
import type { FindingGroup, FindingKind } from "./block.js";
import type { Section } from "../report-model.js";
import { markCode } from "./mark-code.js";

/** Errors that say nothing against the numbers: what was asked of the target does not hold. */
const FAILED: ReadonlySet<FindingCode> = new Set(["NOTHING_HELD", "THRESHOLD_FAILED", "WORSE_THAN_REFERENCE"]);

/** By the status of the verdict: next to false numbers nothing has failed for certain. */
const failedHead = (status: Verdict["status"]): string =>
  status === "inconclusive"
    ? "Not settled: by its figures what was asked for does not hold, but other findings leave them in doubt"
    : "Failed: what was asked for does not hold";

const SEVERITIES: readonly { readonly severity: Severity; readonly head: string }[] = [
  { severity: "error", head: "Errors: these numbers are false, or of the wrong thing" },
  { severity: "warning", head: "Warnings: these numbers mean less than they seem" },
  { severity: "info", head: "Worth knowing" },
];

/** What was noticed, the worst first; findings of the same kind share their cause, and what to do once for all that it is said of. */
export const findings: Section = ({ result: { verdict, scenario, imported } }) => {
  if (verdict.findings.length === 0) return null;
  const failures = verdict.findings.filter(({ code }) => FAILED.has(code));
  const others = verdict.findings.filter(({ code }) => !FAILED.has(code));
  const origin = imported === undefined ? "measured" : "imported";
  const groups: readonly FindingGroup[] = [
    {
      head: failedHead(verdict.status),
      severity: "error",
      isFailure: true,
      kinds: groupKinds(failures, scenario, origin),
    },
    ...SEVERITIES.map(({ severity, head }) => ({
      head,
      severity,
      isFailure: false,
      kinds: groupKinds(
        others.filter((finding) => finding.severity === severity),
        scenario,
        origin,
      ),
    })),
  ];
  return {
    id: "findings",
    title: "Findings",
    blocks: [{ kind: "findings", groups: groups.filter(({ kinds }) => kinds.length > 0) }],
  };
};

function groupKinds(
  findings: readonly Finding[],
  scenario: ToldScenario,
  origin: "measured" | "imported",
): readonly FindingKind[] {
  return [...groupBy(findings, ({ code }) => code)].flatMap(([code, those]) => {
    const [first, ...more] = those.map((finding) => describeFinding(withMessageLine(finding), origin));
    if (first === undefined) return [];
    const { title, cause } = first;
    const all = [first, ...more];
    const remedies = new Set(all.map((one) => one.remedy).filter((one) => one !== NOTHING_TO_DO));
    return [
      {
        code,
        title,
        texts: all.map(({ text }) => markCode(text, scenario)),
        cause,
        ...(remedies.size === 0 ? {} : { remedy: [...remedies].join(" ") }),
      },
    ];
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
