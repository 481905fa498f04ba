import { performance } from "node:perf_hooks";
import {
  describeFinding,
  describeLoad,
  formatFault,
  nextLiveState,
  NOT_BEGUN,
  renderLiveLines,
  renderStepLine,
  wrapWords,
  type SweepEvent,
  type SweepListener,
} from "../index.js";
import { TOKEN_VARIABLE } from "../config/defaults.js";
import { countOf } from "../stats/format-number.js";
import { addressFromElsewhere, formatAddress, isLoopback } from "../stats/url-address.js";
import type { CommandIo } from "./io.js";
import { createLiveBlock, doesReflow, FALLBACK_COLUMNS } from "./live-block.js";
import { toPrintable } from "./terminal.js";

const INDENT = "  ";

/** Shows the progress of a sweep. */
export interface Progress {
  readonly onEvent: SweepListener;
  /** Prints a sentence beside the progress. */
  readonly say: (sentence: string) => void;
  /** Leaves the terminal tidy. May be called more than once. */
  readonly stop: () => void;
}

/**
 * On a terminal a live view at its bottom: a bar over all steps with the time left, the step under way with what is measured, and
 * processor time by role; above it a line for each step that is done, and each warning, broken between words. Elsewhere, and on a
 * terminal that can do nothing else (`TERM=dumb`), the lines alone, with the number of the step. Nothing when quiet.
 *
 * @param now the time, in ms; only differences count.
 */
export function startProgress(
  { stderr, env }: Pick<CommandIo, "stderr" | "env">,
  quiet: boolean,
  now: () => number = () => performance.now(),
): Progress {
  let state = NOT_BEGUN;
  const canRedraw = !quiet && stderr.isTTY === true && env["TERM"] !== "dumb";
  const render = (columns: number): readonly string[] => renderLiveLines(state, now(), columns);
  const block = canRedraw ? createLiveBlock(stderr, render, doesReflow(env)) : undefined;
  const say = (words: string): void => {
    const sentence = toPrintable(words);
    if (block !== undefined) block.say(wrapWords(sentence, stderr.columns || FALLBACK_COLUMNS, INDENT).join("\n"));
    else if (!quiet) stderr.write(`${sentence}\n`);
  };
  return {
    onEvent: (event) => {
      state = nextLiveState(state, event, now());
      if (event.type === "start") block?.start();
      if (event.type === "workers") for (const line of describeWaiting(event)) say(line);
      if (event.type === "worker-refused") {
        say(`warning: refused ${event.worker}, which does not know the token of this run.`);
      }
      if (event.type === "warning") say(describeWarning(event));
      if (event.type === "fault") say(describeFault(event));
      if (event.type === "step-done") {
        const { total, isBound } = state;
        const number = `[${event.index + 1}${isBound ? " of at most " : "/"}${total}] `;
        say(`${block === undefined ? number : ""}${renderStepLine(event.step)}`);
      }
      if (event.type === "done") block?.stop();
    },
    say,
    stop: () => block?.stop(),
  };
}

type EventOf<Type> = Extract<SweepEvent, { readonly type: Type }>;

/** Where workers are to come to, with the secret that lets them in, and what any program can do that reaches that port. */
function describeWaiting({ workers, host, port, token }: EventOf<"workers">): readonly string[] {
  const { from, count } = workers;
  const address = formatAddress({ host, port });
  const open = `warning: Locust's port at ${address} is not encrypted. Others in that network can read what is sent, and stop the run.`;
  const worker = `npx lbbench worker --master ${addressFromElsewhere({ host, port })}`;
  const waiting = `Waiting for ${countOf(count, "worker")} at ${address}.`;
  return [
    ...(isLoopback(host) ? [] : [open]),
    ...(from === "ssh"
      ? [`Starting ${countOf(count, "worker")} by ssh ...`]
      : token === undefined
        ? [`${waiting} Start each, with the same ${TOKEN_VARIABLE} as here, by:`, worker]
        : [`${waiting} Start each by:`, `${TOKEN_VARIABLE}=${token} ${worker}`]),
  ];
}

/** The line that tells of a fault when it has taken effect, or could not be done. */
function describeFault({ step, fault }: EventOf<"fault">): string {
  const { error } = fault;
  const what = `${step.target}: ${formatFault(fault)}`;
  return error === undefined ? `fault: ${what}` : `warning: fault not done: ${what}: ${error}`;
}

/** The line that tells what a step may run out of, before its load is sent. */
function describeWarning({ step, finding }: EventOf<"warning">): string {
  const { target, level } = step;
  return `warning ${finding.code}: ${target} at ${describeLoad(level)}: ${describeFinding(finding).text}`;
}
