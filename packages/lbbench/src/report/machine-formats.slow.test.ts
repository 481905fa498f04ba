import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { needs } from "@lbbench/test-support/needs.js";
import type { Result } from "../model/result.js";
import { aResult } from "../test-support/fixtures.js";
import { renderJunit } from "./junit.js";
import { HOSTILE_NAMES, RESULT_SHAPES } from "./test-support/result-shapes.js";

/** What Python reads of these results as XML, in one process: starting it takes longer than parsing. */
function read(results: Iterable<Result>): readonly Element[] {
  const contents = [...results].map((result) => String(renderJunit(result)[0]?.content));
  const script = `
import json, sys
import xml.etree.ElementTree as tree
def walk(element):
    return {"tag": element.tag, "attributes": element.attrib, "text": element.text or "", "children": [walk(one) for one in element]}
print(json.dumps([walk(tree.fromstring(text.encode("utf-8"))) for text in json.loads(sys.stdin.buffer.read().decode("utf-8"))]))`;
  const options = { input: JSON.stringify(contents), maxBuffer: 100_000_000 };
  const { status, stdout, stderr } = spawnSync("python3", ["-c", script], options);
  expect(status, String(stderr)).toBe(0);
  return JSON.parse(String(stdout)) as readonly Element[];
}

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
  expect(tag).toBe("testsuite");
  expect(attributes).toMatchObject({
    id: String(index),
    package: expect.stringMatching(/./),
    name: expect.any(String),
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    hostname: expect.stringMatching(/./),
    time: expect.stringMatching(/^\d+\.\d{3}$/),
  });
  const tags = ["properties", ...cases.map(() => "testcase"), "system-out", "system-err"];
  expect(children.map((child) => child.tag)).toEqual(tags);
  for (const { attributes: ofCase, children: misses } of cases) {
    expect(Object.keys(ofCase)).toEqual(["name", "classname", "time"]);
    expect(ofCase["time"]).toMatch(/^\d+\.\d{3}$/);
    expect(misses.length).toBeLessThanOrEqual(1);
    for (const miss of misses) {
      expect(["failure", "error"]).toContain(miss.tag);
      expect(miss.attributes["message"]).toMatch(/./);
      expect(miss.attributes["type"]).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }
  }
}

describe.runIf(needs("python3"))("Python's XML", () => {
  it("reads the JUnit file of every kind of result, which is as the schema has it", () => {
    for (const { tag, attributes, children } of read(RESULT_SHAPES.values())) {
      expect([tag, Object.keys(attributes)]).toEqual(["testsuites", ["name", "tests", "failures", "errors", "time"]]);
      expect(children.length).toBeGreaterThan(0);
      for (const [index, suite] of children.entries()) expectSuite(suite, index);
    }
  });

  it("reads names with what XML cannot hold", () => {
    const text = "a\u0000b\uFFFE<]]>\u0008\ud800 end";
    const verdict = { status: "fail", findings: [{ code: "STEP_FAILED", severity: "error", args: { message: text } }] };
    const thresholds = [{ source: "p99<1s", metric: "p99", operator: "<", value: 1000 }] as const;
    const names = { ...NAMES, scenario: { ...NAMES.scenario, thresholds } };
    const [named, failed] = read([names, aResult({ verdict: verdict as Result["verdict"] })]);
    const suites = named?.children.map(({ attributes }) => attributes["name"]);
    expect(suites).toHaveLength(HOSTILE_NAMES.length + 1);
    const markup = ["<img src=x onerror=alert(1)>]]>&amp;", "&amp;&#65;&#0;&#99999999999;&x; & &lt;"];
    const some = [...markup, 'a "b", c', "two lines", "😀 é ﷽"];
    expect(suites).toEqual(expect.arrayContaining(some));
    const miss = failed?.children[0]?.children.find(({ tag }) => tag === "testcase")?.children[0];
    const words = expect.stringContaining("a b\uFFFD<]]> \uFFFD end") as string;
    expect([miss?.attributes["message"], miss?.text]).toEqual([words, words]);
  });
});
