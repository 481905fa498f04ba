import { join } from "node:path";
import { chdir, cwd } from "node:process";
import { getInput, setFailed, setOutput, summary, warning } from "@actions/core";
import {
  compare,
  ConfigError,
  DEFAULTS,
  readResult,
  renderComparison,
  renderReport,
  renderSummary,
  sweepParsed,
} from "lbbench";
import { commentOnPullRequest } from "./comment.js";
import {
  readCommentInputs,
  readInputs,
  resolveSweep,
  worstVerdict,
  type ActionInputs,
  type CommentInputs,
} from "./inputs.js";
import {
  composeComment,
  composeFailure,
  composeSummary,
  describeOutcome,
  frameComment,
  type ReportSource,
} from "./report-text.js";
import {
  createProgressLog,
  describeError,
  guardExit,
  printLines,
  Secrets,
  untilCancelled,
  withholdEnvironment,
} from "./runner.js";

/** Does what the step asks for: sweeps, compares, and tells what came of it in every place that is read. */
async function runAction(): Promise<void> {
  const ofComment = readCommentInputs(getInput);
  const secrets = new Secrets();
  const readAndMeasure = async () => {
    const inputs = readInputs(getInput);
    // From here on code of the pull request runs, in this process and its children.
    const restore = withholdEnvironment();
    return { inputs, measured: await measure(inputs, secrets).finally(restore) };
  };
  const { inputs, measured } = await readAndMeasure().catch(async (error: unknown) => {
    await tellFailure(secrets.conceal(describeError(error)), ofComment);
    throw error;
  });
  await tell(measured, inputs, secrets);
}

async function measure(inputs: ActionInputs, secrets: Secrets) {
  enter(inputs.workingDirectory);
  secrets.learn(inputs.targets);
  const { input, folder, margins, notes } = await resolveSweep(inputs, cwd(), (content) => secrets.learn(content));
  secrets.learn(input);
  notes.forEach(printLines);
  const { margin = DEFAULTS.margin, errorMargin = DEFAULTS.errorMargin } = margins;
  const baseline = inputs.baseline === undefined ? undefined : await readResult(inputs.baseline);
  return untilCancelled(async (signal) => {
    const swept = await sweepParsed(input, { signal, onEvent: createProgressLog(), folder });
    secrets.learn(swept.result);
    swept.problems.forEach(printLines);
    return {
      result: swept.result,
      comparison: baseline && compare(baseline.result, swept.result, { margin, errorMargin }),
      /** Folder of the report. */
      report: swept.folder ?? input.out,
      charts: input.charts,
      isCancelled: signal.aborted,
    };
  });
}

async function tell(
  measured: Awaited<ReturnType<typeof measure>>,
  inputs: ActionInputs,
  secrets: Secrets,
): Promise<void> {
  const { result, comparison, report, charts, isCancelled } = measured;
  printLines(`\n${renderSummary(result)}`);
  if (comparison !== undefined) printLines(`\n${renderComparison(comparison, "text")}`);
  const verdict = worstVerdict([result.verdict.status, ...(comparison === undefined ? [] : [comparison.status])]);
  setOutput("verdict", verdict);
  setOutput("report", report);
  setOutput("result", join(report, "result.json"));
  const source: ReportSource = {
    headline: `**Verdict: ${verdict}**`,
    comparison: comparison && secrets.conceal(renderComparison(comparison, "md")),
    charts,
    render: async (style) => {
      const { files } = await renderReport(result, ["md"], { charts: style });
      return secrets.conceal(files.map(({ content }) => content).join(""));
    },
  };
  await writeSummary(() => composeSummary(source));
  if (inputs.comments && !isCancelled) await commentOnPullRequest((frame) => composeComment(source, frame), inputs);
  if (isCancelled) return setFailed("The job was cancelled. The report holds what was measured until then.");
  // A verdict that is to be let pass is a warning.
  const say = inputs.failOn.has(verdict) ? setFailed : warning;
  if (verdict !== "pass") say(describeOutcome(verdict, result.verdict, comparison?.status));
}

/** Also where there is nothing to judge: an earlier comment must not go on saying `pass`. */
async function tellFailure(message: string, inputs: CommentInputs): Promise<void> {
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
