import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { needs } from "../../test/support/needs.js";
import { startTestServer } from "../../test/support/test-server.js";
import type { Result } from "../model/result.js";
import type { Reporter } from "../plugin.js";
import { aLatency, aMeasurement, aResult, aStep } from "../test-support/fixtures.js";
import { abReporter } from "./ab.js";
import { cleanNames } from "./clean-text.js";
import { csvReporter } from "./csv.js";
import { junitReporter } from "./junit.js";
import { openMetricsReporter } from "./open-metrics.js";
import { HOSTILE_NAMES, PHASES, RESULT_SHAPES } from "./test-support/result-shapes.js";

const run = promisify(execFile);

/** Reads a list of texts and prints what `parse` makes of each: starting Python takes longer than parsing. */
const READ = `
import json, sys
texts = json.loads(sys.stdin.buffer.read().decode("utf-8"))
print(json.dumps([parse(text) for text in texts]))`;

/** Parses CSV by Python's own reader: a list of rows. */
const PARSE_CSV = `
import csv, io
def parse(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))`;

/** Parses XML by Python's own reader: a tree of tags, attributes, text and children. */
const PARSE_XML = `
import xml.etree.ElementTree as tree
def walk(element):
    return {"tag": element.tag, "attributes": element.attrib, "text": element.text or "", "children": [walk(one) for one in element]}
def parse(text):
    return walk(tree.fromstring(text.encode("utf-8")))`;

/** Parses OpenMetrics by the reader of Prometheus' client for Python: families with samples. */
const PARSE_METRICS = `
from prometheus_client.openmetrics.parser import text_string_to_metric_families
def parse(text):
    families = text_string_to_metric_families(text)
    return [{"name": family.name, "type": family.type, "samples": [[sample.name, sample.labels, sample.value] for sample in family.samples]} for family in families]`;

/** The packages of the system, of which the client of Prometheus is one, are known to the Python of the system alone. */
const SYSTEM_PYTHON = "/usr/bin/python3";

function parseAll<Parsed>(script: string, contents: readonly string[], python = "python3"): readonly Parsed[] {
  const options = { input: JSON.stringify(contents), maxBuffer: 100_000_000 };
  const { status, stdout, stderr } = spawnSync(python, ["-c", script + READ], options);
  expect(status, String(stderr)).toBe(0);
  return JSON.parse(String(stdout)) as readonly Parsed[];
}

/** A file of every kind of result, by what the result is. */
async function contentsOf(reporter: Reporter, name: string): Promise<ReadonlyMap<string, string>> {
  const contents = new Map<string, string>();
  for (const [what, result] of RESULT_SHAPES) contents.set(what, await contentOf(reporter, result, name));
  return contents;
}

/** What is read of every kind of result. */
async function readAll<Parsed>(
  script: string,
  reporter: Reporter,
  name: string,
  python?: string,
): Promise<ReadonlyMap<string, Parsed>> {
  const contents = await contentsOf(reporter, name);
  const parsed = parseAll<Parsed>(script, [...contents.values()], python);
  return new Map([...contents.keys()].map((what, index) => [what, parsed[index] as Parsed]));
}

async function contentOf(reporter: Reporter, result: Result, name: string): Promise<string> {
  const files = await reporter.render(result, { charts: "none" });
  return String(files.find((file) => file.name === name)?.content);
}

describe.runIf(needs("python3"))("Python's csv", () => {
  it("reads the files of every kind of result", async () => {
    const steps = await readAll<readonly string[][]>(PARSE_CSV, csvReporter, "steps.csv");
    const seconds = await readAll<readonly string[][]>(PARSE_CSV, csvReporter, "seconds.csv");
    for (const [what, result] of RESULT_SHAPES) {
      const rows = steps.get(what) ?? [];
      expect(new Set(rows.map((row) => row.length)), what).toEqual(new Set([rows[0]?.length]));
      expect(rows, what).toHaveLength(result.steps.length + 1);
      const expected = result.steps.flatMap(({ measurement }) => measurement?.timeline ?? []);
      expect(seconds.get(what), what).toHaveLength(expected.length + 1);
    }
  });

  it("reads names from outside without line breaks and control characters, with an apostrophe before formulas", async () => {
    const result = RESULT_SHAPES.get("names from outside") as Result;
    const [rows = []] = parseAll<string[][]>(PARSE_CSV, [await contentOf(csvReporter, result, "steps.csv")]);
    const names = new Set(rows.slice(1).map(([target = ""]) => target));
    const cleaned = [...cleanNames(HOSTILE_NAMES).values()];
    expect([...names]).toEqual(cleaned.map((name) => (/^'?[=+\-@＝]/.test(name) ? `'${name}` : name)));
  });
});

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

describe.runIf(needs("python3"))("Python's XML", () => {
  it("reads the JUnit file of every kind of result, which is as the schema has it", async () => {
    for (const [what, root] of await readAll<Element>(PARSE_XML, junitReporter, "junit.xml")) {
      expect([root.tag, Object.keys(root.attributes)], what).toEqual([
        "testsuites",
        ["name", "tests", "failures", "errors", "time"],
      ]);
      expect(root.children.length).toBeGreaterThan(0);
      for (const [index, suite] of root.children.entries()) expectSuite(suite, index);
      for (const count of ["tests", "failures", "errors"]) {
        const sum = root.children.reduce((total, { attributes }) => total + Number(attributes[count]), 0);
        expect(Number(root.attributes[count])).toBe(sum);
      }
    }
  });

  it("reads names with what XML cannot hold", async () => {
    const message = "a\u0000b\uFFFE<]]>\u0008\ud800 end";
    const results = [
      RESULT_SHAPES.get("names from outside") as Result,
      aResult({ steps: [aStep({ state: "failed", error: { code: "X", message } })] }),
    ];
    const contents = await Promise.all(results.map((result) => contentOf(junitReporter, result, "junit.xml")));
    const [named, failed] = parseAll<Element>(PARSE_XML, contents);
    const suites = named?.children.map(({ attributes }) => attributes["name"]);
    expect(suites).toHaveLength(HOSTILE_NAMES.length + 1);
    expect(suites).toEqual(
      expect.arrayContaining([
        "<img src=x onerror=alert(1)>]]>&amp;",
        "&amp;&#65;&#0;&#99999999999;&x; & &lt;",
        'a "b", c',
        "two lines",
        "😀 é ﷽",
      ]),
    );
    const miss = failed?.children[0]?.children.find(({ tag }) => tag === "testcase")?.children[0];
    expect(miss?.attributes["message"]).toBe("failed with X: a b\uFFFD<]]> \uFFFD end");
    expect(miss?.text).toBe("failed with X: a b\uFFFD<]]> \uFFFD end");
  });
});

/** What the schema that Ant, Jenkins and others use asks of a suite. */
function expectSuite({ tag, attributes, children }: Element, index: number): void {
  expect(tag).toBe("testsuite");
  expect(attributes).toMatchObject({
    id: String(index),
    package: expect.stringMatching(/./),
    name: expect.any(String),
  });
  expect(attributes["timestamp"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
  expect(attributes["hostname"]).toMatch(/./);
  expect(attributes["time"]).toMatch(/^\d+\.\d{3}$/);
  const tags = children.map((child) => child.tag);
  const cases = children.filter((child) => child.tag === "testcase");
  expect(tags).toEqual(["properties", ...cases.map(() => "testcase"), "system-out", "system-err"]);
  for (const { attributes: ofCase, children: misses } of cases) {
    expect(Object.keys(ofCase)).toEqual(["name", "classname", "time"]);
    expect(ofCase["time"]).toMatch(/^\d+\.\d{3}$/);
    expect(misses.length).toBeLessThanOrEqual(1);
    for (const miss of misses) {
      expect(["failure", "error", "skipped"]).toContain(miss.tag);
      expect(miss.attributes["message"]).toMatch(/./);
      // The schema has no type of what was skipped.
      expect(miss.attributes["type"] ?? "none").toMatch(miss.tag === "skipped" ? /^none$/ : /^[A-Z][A-Z0-9_]+$/);
    }
  }
  const count = (kind: string): number => cases.filter((one) => one.children[0]?.tag === kind).length;
  expect(attributes).toMatchObject({
    tests: String(cases.length),
    failures: String(count("failure")),
    errors: String(count("error")),
    skipped: String(count("skipped")),
  });
}

interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly (readonly [name: string, labels: Readonly<Record<string, string>>, value: number])[];
}

describe.runIf(needs("prometheus"))("Prometheus' parser of OpenMetrics", () => {
  const readMetrics = (): Promise<ReadonlyMap<string, readonly Family[]>> =>
    readAll(PARSE_METRICS, openMetricsReporter, "metrics.txt", SYSTEM_PYTHON);

  it("reads every kind of result, and finds no series twice", async () => {
    for (const [what, families] of await readMetrics()) {
      expect(
        families.every(({ type }) => ["gauge", "counter"].includes(type)),
        what,
      ).toBe(true);
      const series = families.flatMap(({ samples }) => samples.map(([name, labels]) => JSON.stringify([name, labels])));
      expect(new Set(series).size, what).toBe(series.length);
    }
  });

  it("finds every request once, and every name from outside", async () => {
    const read = await readMetrics();
    const result = RESULT_SHAPES.get("a sweep in which some fail") as Result;
    const requests = read.get("a sweep in which some fail")?.find(({ name }) => name === "lbbench_requests");
    const sent = result.steps.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
    expect(requests?.samples.reduce((sum, [, , value]) => sum + value, 0)).toBe(sent);
    const elapsed = read.get("names from outside")?.find(({ name }) => name === "lbbench_elapsed_seconds");
    expect(new Set(elapsed?.samples.map(([, { target }]) => target))).toEqual(
      new Set(cleanNames(HOSTILE_NAMES).values()),
    );
  });
});

describe.runIf(needs("ab"))("ab that is installed", () => {
  it("prints the lines of our blocks, in the same order and in the same columns", async () => {
    const { port } = await startTestServer();
    const { stdout } = await run("ab", ["-n", "60", "-c", "3", "-l", `http://127.0.0.1:${port}/`]);
    const measurement = aMeasurement({ phases: PHASES, latency: aLatency(), elapsedMs: 41 });
    const level = { connections: 3, requests: 60 };
    const content = await contentOf(abReporter, aResult({ steps: [aStep({ level, measurement })] }), "ab.txt");
    const theirs = beginningsOf(stdout);
    expect(theirs.length).toBeGreaterThan(20);
    expect(beginningsOf(content)).toEqual(theirs);
  });
});

const TABLE_COLUMN = 24;

/** The lines from the document on, without their figures: what is left shows labels, units and columns. */
function beginningsOf(text: string): readonly string[] {
  const lines = text.slice(text.indexOf("Document Path:")).trimEnd().split("\n");
  // What ab thinks of the spread of its times depends on the run.
  const isRemark = (line: string): boolean => /^(WARNING|ERROR): The median and mean|^ +These results are/.test(line);
  return lines
    .filter((line) => !isRemark(line))
    .map((line) => {
      const [label, figures] = [line.slice(0, TABLE_COLUMN), line.slice(TABLE_COLUMN)];
      // In the first table figures begin in one column, in the others they end in one.
      if (/^\S.*: +$/.test(label)) return label + figures.replaceAll(/[\d.]+/g, "#");
      return line.replaceAll(/ *\d+(?:\.\d)?(?=[ %]|$)/g, (figure) => "#".repeat(figure.length));
    });
}
