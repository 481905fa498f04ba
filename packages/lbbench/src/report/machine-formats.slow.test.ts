import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { needs } from "../../test/support/needs.js";
import type { Result } from "../model/result.js";
import type { Reporter } from "../plugin.js";
import { aResult, aStep } from "../test-support/fixtures.js";
import { cleanNames } from "./plain-line.js";
import { junitReporter } from "./junit.js";
import { openMetricsReporter } from "./open-metrics.js";
import { HOSTILE_NAMES, RESULT_SHAPES } from "./test-support/result-shapes.js";

/** How Python reads a file: XML as a tree, OpenMetrics as families with samples. */
const PARSERS = {
  xml: `
import xml.etree.ElementTree as tree
def walk(element):
    return {"tag": element.tag, "attributes": element.attrib, "text": element.text or "", "children": [walk(one) for one in element]}
def parse(text):
    return walk(tree.fromstring(text.encode("utf-8")))`,
  metrics: `
from prometheus_client.openmetrics.parser import text_string_to_metric_families
def parse(text):
    families = text_string_to_metric_families(text)
    return [{"name": family.name, "type": family.type, "samples": [[sample.name, sample.labels, sample.value] for sample in family.samples]} for family in families]`,
};

/** The packages of the system, of which the client of Prometheus is one, are known to the Python of the system alone. */
const PYTHONS = { xml: "python3", metrics: "/usr/bin/python3" };

/** What Python reads of these results, in one process: starting it takes longer than parsing. */
async function read<Parsed>(
  kind: keyof typeof PARSERS,
  reporter: Reporter,
  name: string,
  results: Iterable<Result>,
): Promise<readonly Parsed[]> {
  const contents = await Promise.all([...results].map((result) => contentOf(reporter, result, name)));
  const script = `${PARSERS[kind]}
import json, sys
print(json.dumps([parse(text) for text in json.loads(sys.stdin.buffer.read().decode("utf-8"))]))`;
  const options = { input: JSON.stringify(contents), maxBuffer: 100_000_000 };
  const { status, stdout, stderr } = spawnSync(PYTHONS[kind], ["-c", script], options);
  expect(status, String(stderr)).toBe(0);
  return JSON.parse(String(stdout)) as readonly Parsed[];
}

async function contentOf(reporter: Reporter, result: Result, name: string): Promise<string> {
  const files = await reporter.render(result, { charts: "none" });
  return String(files.find((file) => file.name === name)?.content);
}

const SHAPES = [...RESULT_SHAPES.values()];
const NAMES = RESULT_SHAPES.get("names from outside") as Result;

interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Element[];
}

/** What the schema that Ant, Jenkins and others use asks of a suite. */
function expectSuite({ tag, attributes, children }: Element, index: number): void {
  const cases = children.filter((child) => child.tag === "testcase");
  const count = (kind: string): string => String(cases.filter((one) => one.children[0]?.tag === kind).length);
  expect(tag).toBe("testsuite");
  expect(attributes).toMatchObject({
    id: String(index),
    package: expect.stringMatching(/./),
    name: expect.any(String),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    hostname: expect.stringMatching(/./),
    time: expect.stringMatching(/^\d+\.\d{3}$/),
    tests: String(cases.length),
    failures: count("failure"),
    errors: count("error"),
    skipped: count("skipped"),
  });
  const tags = ["properties", ...cases.map(() => "testcase"), "system-out", "system-err"];
  expect(children.map((child) => child.tag)).toEqual(tags);
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
}

describe.runIf(needs("python3"))("Python's XML", () => {
  it("reads the JUnit file of every kind of result, which is as the schema has it", async () => {
    for (const { tag, attributes, children } of await read<Element>("xml", junitReporter, "junit.xml", SHAPES)) {
      expect([tag, Object.keys(attributes)]).toEqual(["testsuites", ["name", "tests", "failures", "errors", "time"]]);
      expect(children.length).toBeGreaterThan(0);
      for (const [index, suite] of children.entries()) expectSuite(suite, index);
      for (const count of ["tests", "failures", "errors"])
        expect(Number(attributes[count])).toBe(
          children.reduce((sum, suite) => sum + Number(suite.attributes[count]), 0),
        );
    }
  });

  it("reads names with what XML cannot hold", async () => {
    const error = { code: "X", message: "a\u0000b\uFFFE<]]>\u0008\ud800 end" };
    const results = [NAMES, aResult({ steps: [aStep({ state: "failed", error })] })];
    const [named, failed] = await read<Element>("xml", junitReporter, "junit.xml", results);
    const suites = named?.children.map(({ attributes }) => attributes["name"]);
    expect(suites).toHaveLength(HOSTILE_NAMES.length + 1);
    const markup = ["<img src=x onerror=alert(1)>]]>&amp;", "&amp;&#65;&#0;&#99999999999;&x; & &lt;"];
    const some = [...markup, 'a "b", c', "two lines", "😀 é ﷽"];
    expect(suites).toEqual(expect.arrayContaining(some));
    const miss = failed?.children[0]?.children.find(({ tag }) => tag === "testcase")?.children[0];
    const words = "failed with X: a b\uFFFD<]]> \uFFFD end";
    expect([miss?.attributes["message"], miss?.text]).toEqual([words, words]);
  });
});

interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly (readonly [name: string, labels: Readonly<Record<string, string>>, value: number])[];
}

it.runIf(needs("prometheus"))(
  "Prometheus' parser of OpenMetrics reads every kind of result: no series twice, every request once, every name",
  async () => {
    const parsed = await read<readonly Family[]>("metrics", openMetricsReporter, "metrics.txt", SHAPES);
    for (const [index, families] of parsed.entries()) {
      expect(families.filter(({ type }) => !["gauge", "counter"].includes(type))).toEqual([]);
      const series = families.flatMap(({ samples }) => samples.map(([name, labels]) => JSON.stringify([name, labels])));
      expect(new Set(series).size).toBe(series.length);
      const requests = families.find(({ name }) => name === "lbbench_requests")?.samples ?? [];
      const sent = SHAPES[index]?.steps.reduce((sum, { measurement }) => sum + (measurement?.requests.sent ?? 0), 0);
      expect(requests.reduce((sum, [, , value]) => sum + value, 0)).toBe(sent);
    }
    const elapsed = parsed[SHAPES.indexOf(NAMES)]?.find(({ name }) => name === "lbbench_elapsed_seconds");
    expect(new Set(elapsed?.samples.map(([, { target }]) => target))).toEqual(
      new Set(cleanNames(HOSTILE_NAMES).values()),
    );
  },
);
