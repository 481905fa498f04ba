import type { Result } from "../../model/result.js";
import { plainLine } from "../plain-line.js";
import { collectSuites } from "./collect-suites.js";
import type { Miss, TestCase, TestSuite } from "./test-case.js";

type Attributes = Readonly<Record<string, string>>;
/** As xmlbuilder2 takes an element: attributes with an at sign before them, other elements by name, text by `#`. */
type Element = Readonly<Record<string, unknown>>;

/** Stands for what XML cannot hold. */
const REPLACEMENT = "\uFFFD";

/** Returns the JUnit XML of a result. */
export async function writeJunit(result: Result): Promise<string> {
  const { create } = await import("xmlbuilder2");
  const suites = collectSuites(result);
  const all = suites.flatMap(({ cases }) => cases);
  const { skipped: _skipped, ...ofAll } = totals(all);
  const testsuites = {
    // The schema counts what was skipped in suites alone.
    ...attributes({ name: result.scenario.name, ...ofAll }),
    testsuite: suites.map((suite, index) => writeSuite(result, suite, index)),
  };
  const options = { version: "1.0", encoding: "UTF-8", invalidCharReplacement: REPLACEMENT } as const;
  return `${create(options, { testsuites }).end({ prettyPrint: true })}\n`;
}

function writeSuite({ scenario, startedAt, tool }: Result, { name, cases }: TestSuite, index: number): Element {
  // To the second and without a zone, as the schema has it.
  const [timestamp] = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(startedAt) ?? [];
  return {
    ...attributes({
      name,
      package: scenario.name,
      id: String(index),
      ...(timestamp === undefined ? {} : { timestamp }),
      // What the schema wants where the name of the machine is not known.
      hostname: "localhost",
      ...totals(cases),
    }),
    properties: { property: attributes({ name: "tool", value: `${tool.name} ${tool.version}` }) },
    testcase: cases.map((one) => writeCase(`${partOf(scenario.name)}.${partOf(name)}`, one)),
    "system-out": {},
    "system-err": {},
  };
}

/** Readers split a class at its dots into packages, so that `127.0.0.1` would be four. */
function partOf(name: string): string {
  return name.replaceAll(".", "_");
}

function writeCase(classname: string, { name, timeMs, miss }: TestCase): Element {
  return {
    ...attributes({ name, classname, time: seconds(timeMs) }),
    ...(miss === undefined ? {} : { [miss.kind]: writeMiss(miss) }),
  };
}

function writeMiss({ kind, type, message, details = [] }: Miss): Element {
  const text = details.map(plainLine).join("\n").trim();
  return {
    ...attributes(kind === "skipped" ? { message } : { type, message }),
    ...(text === "" ? {} : { "#": literally(text) }),
  };
}

function totals(cases: readonly TestCase[]): Attributes & { readonly skipped: string } {
  const count = (kind: Miss["kind"]): string => String(cases.filter(({ miss }) => miss?.kind === kind).length);
  return {
    tests: String(cases.length),
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
    time: seconds(cases.reduce((sum, { timeMs }) => sum + timeMs, 0)),
  };
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** In one line each: parsers make spaces of line breaks in attributes. */
function attributes(values: Attributes): Element {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`@${name}`, literally(plainLine(value))]));
}

/**
 * xmlbuilder2 takes what looks like an entity for one, both when it reads a text and when it writes it: `&amp;` would come out as
 * it is and mean `&`, and `&#0;` would be no XML. So an ampersand is given as what becomes `&amp;` when it has been read.
 */
function literally(text: string): string {
  return text.replaceAll("&", "&#38;amp;");
}
