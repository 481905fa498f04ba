import type { Readable, Writable } from "node:stream";
import { confirm, isCancel, select, text, type Option } from "@clack/prompts";
import { QuestionLeft, type Ask } from "./answers.js";

/** Where questions are asked. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** Asks on a terminal; an answer that is offered is taken by Enter. Rejects with {@link QuestionLeft}. */
export function askOnTerminal(terminal: Terminal): Ask {
  return {
    line: async (message, initialValue, check) => {
      const validate = (value: string | undefined): string | undefined => check((value ?? "").trim());
      return (await answered(text({ ...terminal, message, initialValue, validate }))).trim();
    },
    choice: async <T extends string>(message: string, initialValue: T, labels: Record<T, string>) => {
      const options = Object.entries(labels).map(([value, label]) => ({ value, label })) as Option<T>[];
      return answered(select({ ...terminal, message, initialValue, options })) as Promise<T>;
    },
    yes: async (message, initialValue) => answered(confirm({ ...terminal, message, initialValue })),
  };
}

async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (isCancel(answer)) throw new QuestionLeft();
  return answer as Exclude<T, symbol>;
}
