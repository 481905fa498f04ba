import { existsSync, readdirSync } from "node:fs";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";

/** One command of an example, and what its report is there to show. */
export interface ExampleRun {
  readonly shows: string;
  readonly folder?: string;
  readonly saves?: string;
  readonly finds?: readonly string[];
  readonly contains?: readonly string[];
}

/** What `examples/run.mjs` runs. */
export interface Example {
  readonly name: string;
  readonly needs?: readonly string[];
  readonly runs: readonly ExampleRun[];
}

export const RUNNER = inRepository("examples/run.mjs");

/** All examples that are made of commands in an `example.json`. */
export const EXAMPLES: readonly Example[] = readdirSync(inRepository("examples"))
  .filter((name) => existsSync(inRepository(`examples/${name}/example.json`)))
  .map((name) => ({ name, ...(JSON.parse(readDocument(`examples/${name}/example.json`)) as Omit<Example, "name">) }));
