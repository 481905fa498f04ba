import { join } from "node:path";
import { chdir, cwd } from "node:process";
import { getInput, setFailed, setOutput, setSecret, summary, warning } from "@actions/core";
import {
  compare,
  ConfigError,
  describeFinding,
  readResult,
  renderComparison,
  renderReport,
  renderSummary,
  secretsOf,
  sweepParsed,
  type Result,
  type ResultComparison,
} from "lbbench";
import { commentOnPullRequest } from "./comment.js";
import { readInputs, resolveSweep, worstVerdict, type ActionInputs, type Verdict } from "./inputs.js";
import {
  composeComment,
  composeFailure,
  composeSummary,
  frameComment,
  type Charts,
  type ReportSource,
} from "./report-text.js";
import {
  catchCancellation,
  conceal,
  concealable,
  createProgressLog,
  describeError,
  guardExit,
  printLines,
  withholdEnvironment,
} from "./runner.js";

/** What was measured, and where it is. */
interface Measured {
  readonly result: Result;
  readonly comparison: ResultComparison | undefined;
  /** Folder of the report. */
  readonly report: string;
  readonly charts: Charts;
  readonly isCancelled: boolean;
}

/** Does what the step asks for: sweeps, compares, and tells what came of it in every place that is read. */
async function runAction(): Promise<void> {
  const inputs = readInputs(getInput);
  // From here on code of the pull request runs, in this process and in those that it starts.
  const restore = withholdEnvironment();
  const secrets: string[] = [];
  const learn = (data: unknown): void => {
    const news = concealable(secretsOf(data)).filter((secret) => !secrets.includes(secret));
    news.forEach(setSecret);
    secrets.splice(0, secrets.length, ...concealable([...secrets, ...news]));
  };
  const measured = await measure(inputs, learn)
    .finally(restore)
    .catch(async (error: unknown) => {
      await tellFailure(conceal(describeError(error), secrets), inputs);
      throw error;
    });
  await tell(measured, inputs, secrets);
}

async function measure(inputs: ActionInputs, learn: (data: unknown) => void): Promise<Measured> {
  enter(inputs.workingDirectory);
  learn(inputs.targets);
  const { input, folder, margins, note } = await resolveSweep(inputs, cwd());
  learn(input);
  if (note !== undefined) printLines(note);
  const baseline = inputs.baseline === undefined ? undefined : await readResult(inputs.baseline);
  const cancellation = catchCancellation();
  try {
    const swept = await sweepParsed(input, { signal: cancellation.signal, onEvent: createProgressLog(), folder });
    const { result, problems } = swept;
    learn(result);
    problems.forEach(printLines);
    return {
      result,
      comparison: baseline && compare(baseline.result, result, margins),
      report: swept.folder ?? input.out,
      charts: input.charts === "none" ? "none" : "mermaid",
      isCancelled: cancellation.signal.aborted,
    };
  } finally {
    cancellation.release();
  }
}

async function tell(measured: Measured, inputs: ActionInputs, secrets: readonly string[]): Promise<void> {
  const { result, comparison, report, isCancelled } = measured;
  printLines(`\n${renderSummary(result)}`);
  if (comparison !== undefined) printLines(`\n${renderComparison(comparison, "text")}`);
  const verdict = worstVerdict([result.verdict.status, ...(comparison === undefined ? [] : [comparison.status])]);
  setOutput("verdict", verdict);
  setOutput("report", report);
  setOutput("result", join(report, "result.json"));
  const source: ReportSource = {
    headline: `**Verdict: ${verdict}**`,
    comparison: comparison && conceal(renderComparison(comparison, "md"), secrets),
    charts: measured.charts,
    render: async (charts) => {
      const { files } = await renderReport(result, ["md"], { charts });
      return conceal(files.map(({ content }) => content).join(""), secrets);
    },
  };
  await writeSummary(() => composeSummary(source));
  if (inputs.comments && !isCancelled) await commentOnPullRequest((frame) => composeComment(source, frame), inputs);
  if (isCancelled) return setFailed("Cancelled: the report holds what was measured until then.");
  // A verdict that is to be let pass is a warning.
  const say = inputs.failOn.has(verdict) ? setFailed : warning;
  if (verdict !== "pass") say(describeOutcome(verdict, result, comparison));
}

const COMPARED = Object.freeze({
  pass: [],
  fail: ["It is worse than the baseline beyond the margin."],
  inconclusive: ["Whether it is worse than the baseline cannot be told."],
});

/** Says the verdict and what led to it, a line each. */
function describeOutcome(verdict: Verdict, result: Result, comparison: ResultComparison | undefined): string {
  const reasons = result.verdict.findings
    .filter(({ code, severity }) => severity === "error" || code.endsWith("_INCONCLUSIVE"))
    .map((finding) => describeFinding(finding).text);
  return [`Verdict: ${verdict}.`, ...COMPARED[comparison?.status ?? "pass"], ...reasons].join("\n");
}

/** Also where there is nothing to judge: an earlier comment must not go on saying `pass`. */
async function tellFailure(message: string, inputs: ActionInputs): Promise<void> {
  const text = composeFailure(message);
  await writeSummary(async () => text);
  if (inputs.comments) await commentOnPullRequest(async (frame) => frameComment(text.trim(), frame), inputs);
}

/** A summary that cannot be written is no reason to hide the verdict. */
async function writeSummary(compose: () => Promise<string>): Promise<void> {
  try {
    await summary.addRaw(await compose()).write();
  } catch (error) {
    warning(`The summary of the job could not be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function enter(folder: string): void {
  try {
    chdir(folder);
  } catch (cause) {
    throw new ConfigError(`working-directory: expected a folder, got "${folder}", which cannot be entered.`, { cause });
  }
}

// Last, when all that is above has been evaluated.
const release = guardExit();
try {
  await runAction();
} catch (error) {
  setFailed(describeError(error));
} finally {
  release();
}
