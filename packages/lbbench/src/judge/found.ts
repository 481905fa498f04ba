/** How findings are made and read, and what a rule of a step is. */
import type { Finding, FindingArgs, FindingCode, Severity } from "../model/finding.js";
import { ARGS, PLACE } from "../model/finding-args.js";
import type { Environment, Result, StepResult } from "../model/result.js";
import type { ToldScenario } from "../model/scenario.js";

/** The args of a finding, of which any may be missing. */
export type Seen<Code extends FindingCode = FindingCode> = Readonly<Partial<Every<(typeof ARGS)[Code]> & typeof PLACE>>;

/** Of a union of objects, one that has all of their properties. */
type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** What is told of a finding: what is `undefined` or `false` is left out. */
export type Told<Code extends FindingCode> = {
  readonly [Name in keyof Seen<Code>]:
    | Seen<Code>[Name]
    | undefined
    | (Seen<Code>[Name] extends 1 | undefined ? boolean : never);
};

/** Returns one finding, with the args that its code has. */
export function found<Code extends FindingCode>(code: Code, severity: Severity, told: Told<Code>): readonly Finding[] {
  return [{ code, severity, args: keepTold(told) }];
}

/** Leaves out args that are `undefined` or `false`. */
export function keepTold(given: object): FindingArgs {
  const told = Object.entries(given).filter(([, value]) => value !== undefined && value !== false);
  return Object.fromEntries(told.map(([name, value]) => [name, value === true ? 1 : value]));
}

/** The names of args that are texts. */
const TEXTS: ReadonlySet<string> = new Set(
  [...Object.values(ARGS), PLACE].flatMap((kinds) =>
    Object.entries(kinds).flatMap(([name, kind]) => (typeof kind === "string" ? [name] : [])),
  ),
);

/** Returns the figures of a finding; what is no number where it should be, as in a file that was changed, is missing. */
export function readFigures(given: FindingArgs): Seen {
  const told = Object.entries(given).filter(([name, value]) => TEXTS.has(name) || typeof value === "number");
  return Object.fromEntries(told.map(([name, value]) => [name, TEXTS.has(name) ? String(value) : value]));
}

/** A run, also while it is under way. */
export type Run = Pick<Result, "scenario" | "steps">;

/** A step before it is judged. */
export type UnjudgedStep = Omit<StepResult, "findings">;

/** Looks at a step for one thing; returns what it found, mostly nothing. Pure. */
export type StepRule = (
  step: UnjudgedStep,
  scenario: ToldScenario,
  environment: Environment | null,
) => readonly Finding[];
