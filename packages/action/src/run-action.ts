import { join } from "node:path";
import { chdir, cwd } from "node:process";
import { getInput, setOutput, setSecret, summary, warning } from "@actions/core";
import {
  compare,
  ConfigError,
  readResult,
  renderComparison,
  renderReport,
  renderSummary,
  secretsOf,
  sweepParsed,
  type Result,
  type ResultComparison,
} from "lbbench";
import { catchCancellation } from "./catch-cancellation.js";
import { commentOnPullRequest } from "./comment-on-pull-request.js";
import { composeComment, frameComment } from "./compose-comment.js";
import { composeFailure } from "./compose-failure.js";
import { composeSummary, type Charts, type ReportSource } from "./compose-summary.js";
import { conceal, concealable } from "./conceal.js";
import { createProgressLog } from "./log-progress.js";
import { printLines } from "./print-line.js";
import { readInputs, type ActionInputs } from "./read-inputs.js";
import { describeError } from "./report-error.js";
import { resolveSweep } from "./resolve-sweep.js";
import { sayOutcome } from "./say-outcome.js";
import { worstVerdict } from "./verdict.js";
import { withholdEnvironment } from "./withhold-environment.js";

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
export async function runAction(): Promise<void> {
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
  sayOutcome({ verdict, result, comparison, isCancelled, failOn: inputs.failOn });
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
