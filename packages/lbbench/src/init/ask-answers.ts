import type { Readable, Writable } from "node:stream";
import { confirm, isCancel, select, text } from "@clack/prompts";
import { DEFAULTS } from "../config/defaults.js";
import { checkBackendCount, checkCommand, checkUrl, problemOf, type Answers, type Subject } from "./answers.js";
import { CONFIG_FORMATS, type Folder } from "./folder.js";

/** The terminal that questions are asked on. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Thrown where somebody leaves a question by Ctrl-C or Escape. */
export class QuestionLeft extends Error {
  override readonly name = "QuestionLeft";
}

/**
 * Asks on the terminal for every answer that was not given; what would be taken without asking is offered.
 *
 * @param guessed command that starts the program of the folder, if any.
 */
export async function askAnswers(
  streams: Streams,
  given: Partial<Answers>,
  offered: Answers,
  { folder, guessed }: { readonly folder: Folder; readonly guessed: string | undefined },
): Promise<Answers> {
  const subject = given.subject ?? (await askSubject(streams, offered.subject, guessed));
  const connections =
    given.connections ??
    (await askText(streams, "Levels of load: connections kept busy", offered.connections, (value) =>
      problemOf({ connections: value }),
    ));
  const thresholds =
    given.thresholds ??
    splitList(
      await askText(
        streams,
        "What every level has to keep, such as p99<50ms, errors<1% (empty: nothing)",
        offered.thresholds.join(", "),
        (value) => problemOf({ thresholds: splitList(value) }),
      ),
    );
  const format =
    given.format ??
    (await answered(
      select({
        ...streams,
        message: "Language of the config",
        initialValue: offered.format,
        options: CONFIG_FORMATS.map((value) => ({
          value,
          label: `lbbench.config.${value}`,
          ...(value === "json" ? { hint: "no comments" } : {}),
        })),
      }),
    ));
  const scripts =
    given.scripts ?? (offered.scripts && (await askYes(streams, "Add npm scripts to package.json?", true)));
  const canCompare =
    (subject.kind === "command" || subject.kind === "balanced") && folder.repositoryAbove === undefined;
  const workflow =
    given.workflow ??
    (canCompare &&
      (await askYes(streams, "Write a workflow that compares pull requests on GitHub?", offered.workflow)));
  return { subject, connections, duration: given.duration ?? offered.duration, thresholds, format, scripts, workflow };
}

/** Asks a question that is answered by yes or no. */
export function askYes(streams: Streams, message: string, initialValue: boolean): Promise<boolean> {
  return answered(confirm({ ...streams, message, initialValue }));
}

const SUBJECTS: readonly { readonly value: Subject["kind"]; readonly label: string }[] = [
  { value: "command", label: "A program that lbbench starts" },
  { value: "balanced", label: "Several of it behind a balancer" },
  { value: "url", label: "A server that is running" },
  { value: "samples", label: "Samples of lbbench, to try it" },
];

async function askSubject(streams: Streams, offered: Subject, guessed: string | undefined): Promise<Subject> {
  const kind = await answered(
    select({
      ...streams,
      message: "What is to be measured?",
      initialValue: offered.kind,
      options: SUBJECTS.map((option) => ({ ...option })),
    }),
  );
  if (kind === "samples") return { kind };
  if (kind === "url")
    return { kind, url: (await askText(streams, "Its URL", "http://127.0.0.1:3000/", checkUrl)).trim() };
  const asked = await askText(
    streams,
    "The command that starts it; it listens on the port in PORT",
    guessed ?? "",
    checkCommand,
  );
  const command = asked.trim();
  if (kind === "command") return { kind, command };
  const backends = await askText(streams, "How many", String(DEFAULTS.balancedBackends), checkBackendCount);
  return { kind, command, backends: Number(backends) };
}

function askText(
  streams: Streams,
  message: string,
  initialValue: string,
  check: (value: string) => string | undefined,
): Promise<string> {
  return answered(text({ ...streams, message, initialValue, validate: (value) => check((value ?? "").trim()) }));
}

async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new QuestionLeft();
  return answer as Exclude<T, symbol>;
}

function splitList(value: string): readonly string[] {
  return value
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
