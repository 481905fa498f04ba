import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Result } from "../model/result.js";
import { anEnvironment, aResult, aScenario } from "../test-support/fixtures.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { htmlReporter } from "./html.js";
import { renderHtml } from "./html/render-html.js";
import { renderMain } from "./html/render-main.js";
import { outlineHtml } from "./test-support/html-outline.js";
import type { OutlineTag } from "./test-support/html-outline.js";
import { aRampResult } from "./test-support/ramp-results.js";
import { aSweep, failed, withFailures } from "./test-support/sample-results.js";

const SHORT: Parameters<typeof aRampResult>[0] = { durationMs: 4000, users: 4 };
const RESULTS: readonly (readonly [what: string, result: Result])[] = [
  ["a sweep", aSweep()],
  [
    "several trials with failures",
    aSweep({ trials: 5, connections: [1, 50], change: (step) => withFailures(step, 0.1) }),
  ],
  ["failed steps", aSweep({ connections: [1, 50], change: failed })],
  ["a ramp", aRampResult()],
  ["no step", aResult({ steps: [], command: null, finishedAt: null })],
];

const attribute = ({ attributes }: OutlineTag, name: string): string | undefined => attributes.get(name);
const named = (tags: readonly OutlineTag[], name: string): readonly OutlineTag[] =>
  tags.filter((tag) => tag.name === name);
const policyOf = (tags: readonly OutlineTag[]): string | undefined =>
  named(tags, "meta")
    .find((tag) => attribute(tag, "http-equiv") === "Content-Security-Policy")
    ?.attributes.get("content");
const withId = (tags: readonly OutlineTag[], id: string): OutlineTag | undefined =>
  tags.find((tag) => attribute(tag, "id") === id);
const json = (tags: readonly OutlineTag[], id: string): unknown => JSON.parse(withId(tags, id)?.raw ?? "null");

test("is one file", async () => {
  const files = await htmlReporter.render(aSweep(), { charts: "png" });
  expect(files.map(({ name }) => name)).toEqual(["report.html"]);
});

describe.each(RESULTS)("the page of %s", (_, result) => {
  const html = renderHtml(result);
  const tags = outlineHtml(html);

  test("has no id twice, and every id that is pointed at", () => {
    const ids = tags.flatMap((tag) => attribute(tag, "id") ?? []);
    expect(ids).toEqual([...new Set(ids)]);
    const targets = tags.flatMap((tag) => [
      ...(attribute(tag, "aria-labelledby")?.split(" ") ?? []),
      ...(attribute(tag, "href")?.startsWith("#") ? [attribute(tag, "href")?.slice(1) ?? ""] : []),
    ]);
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("has one heading of the first level, and skips none below it", () => {
    const levels = tags.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name.slice(1))] : []));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1)).toEqual([]);
  });

  test("has landmarks, and tells those of a kind apart", () => {
    for (const name of ["main", "header", "nav"]) expect(named(tags, name)).toHaveLength(1);
    const regions = tags.filter((tag) => attribute(tag, "role") === "region");
    const labels = regions.map((tag) => attribute(tag, "aria-label"));
    expect(labels).toEqual([...new Set(labels)]);
    expect(regions.every((tag) => attribute(tag, "tabindex") === "0")).toBe(true);
  });

  test("has tables with a caption, and heads that say what they are heads of", () => {
    const tables = named(tags, "table").length;
    expect(named(tags, "caption")).toHaveLength(tables);
    expect(named(tags, "th").filter((tag) => attribute(tag, "scope") === undefined)).toEqual([]);
    for (const button of named(tags, "button").filter(({ inside }) => inside.includes("th"))) {
      expect(attribute(button, "type")).toBe("button");
    }
  });

  test("has the charts as data and as figures, each with a box to draw into and a table", () => {
    const charts = chartDefinitions(result);
    expect(json(tags, "chart-definitions")).toEqual(JSON.parse(JSON.stringify(charts)));
    const figures = named(tags, "figure");
    expect(figures.map((tag) => attribute(tag, "data-chart"))).toEqual(charts.map(({ id }) => id));
    const inFigures = tags.filter(({ inside }) => inside.includes("figure"));
    expect(inFigures.filter((tag) => attribute(tag, "class") === "chart-box")).toHaveLength(charts.length);
    expect(named(inFigures, "summary")).toHaveLength(charts.length);
    expect(named(inFigures, "table").length).toBeGreaterThanOrEqual(charts.length);
  });

  test("holds the whole result", () => {
    expect(json(tags, "result")).toEqual(JSON.parse(JSON.stringify(result)));
  });

  test("runs its own script and style alone, and loads nothing", () => {
    const policy = policyOf(tags);
    const allowed = policy?.replaceAll("&#39;", "'").split("; ");
    const hash = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const script = named(tags, "script").filter((tag) => attribute(tag, "type") === undefined);
    expect(script).toHaveLength(1);
    expect(allowed).toEqual([
      "default-src 'none'",
      `script-src ${hash(script[0]?.raw)}`,
      `style-src ${hash(named(tags, "style")[0]?.raw)}`,
      "img-src data:",
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    const loading = tags.filter((tag) =>
      ["src", "srcset", "style", "onclick"].some((name) => tag.attributes.has(name)),
    );
    expect(loading).toEqual([]);
    expect(named(tags, "link")).toEqual([]);
  });
});

test("says the verdict first, the findings next, and how to read it last", () => {
  const tags = outlineHtml(renderMain(aRampResult(SHORT)));
  const parts = named(tags, "section").flatMap((tag) => attribute(tag, "data-part") ?? []);
  expect(parts.slice(0, 4)).toEqual(["verdict", "findings", "charts", "comparison"]);
  expect(parts.at(-1)).toBe("glossary");
});

test("a finding has its severity, its code, what was seen, its cause and what to do", () => {
  const verdict: Result["verdict"] = {
    status: "inconclusive",
    findings: [
      { code: "SINGLE_TRIAL", severity: "warning", args: {} },
      { code: "TARGET_DIED", severity: "error", args: { target: "single", connections: 1, message: "gone <b>" } },
      { code: "TARGET_DIED", severity: "error", args: { target: "balanced", connections: 1, message: "too" } },
    ],
  };
  const html = renderMain({ ...aSweep(), verdict });
  const severities = outlineHtml(html).flatMap((tag) => attribute(tag, "data-severity") ?? []);
  expect(severities).toEqual(["error", "warning"]);
  const [died = ""] = /<article class="finding">[^]*?<\/article>/.exec(html) ?? [];
  expect(died).toContain("<code>TARGET_DIED</code>");
  expect(died).toContain("gone &lt;b&gt;");
  expect(died.match(/<li>/g)).toHaveLength(2);
  expect(died.match(/<dt>[^<]*<\/dt>/g)).toEqual(["<dt>Cause</dt>", "<dt>What to do</dt>"]);
});

test("figures can be sorted by what they are, not by how they are written", () => {
  const html = renderMain(aSweep({ targets: ["single"], connections: [1, 1000] }));
  const [, table = ""] = /<table class="sortable">([^]*?)<\/table>/.exec(html) ?? [];
  expect(table).toMatch(
    /<th scope="col" class="number" aria-sort="none"><button type="button"[^>]*>Requests\/s<\/button>/,
  );
  expect(table).toMatch(/<th scope="row" class="number" data-value="1000">1,000<\/th>/);
  expect(table).toMatch(/<td class="number" data-value="[\d.]{6,}">[\d,.]+<\/td>/);
});

test("rows of a comparison that belong together are not sorted apart", () => {
  const html = renderMain(aSweep({ trials: 5, connections: [1, 100] }));
  const [, table = ""] = /<table class="grouped">([^]*?)<\/table>/.exec(html) ?? [];
  expect(table).not.toContain("<button");
  expect(table.match(/<th scope="rowgroup" rowspan="3" class="number">(?:1|100)<\/th>/g)).toHaveLength(2);
  expect(table).toContain('<span class="bad">slower</span>');
});

describe("a page of a run that goes on", () => {
  const tags = outlineHtml(renderHtml(aSweep(), { live: { eventsUrl: "/x</script>/events" } }));

  test("may talk to its server, and knows where", () => {
    const policy = policyOf(tags);
    expect(policy).toContain("connect-src &#39;self&#39;");
    expect(json(tags, "live")).toEqual({ events: "/x</script>/events" });
  });

  test("has a place above the report for what goes on", () => {
    const order = tags
      .flatMap((tag) => attribute(tag, "id") ?? [])
      .filter((id) => ["live-panel", "report"].includes(id));
    expect(order).toEqual(["live-panel", "report"]);
  });

  test("has the same report", () => {
    expect(renderHtml(aSweep(), { live: { eventsUrl: "/" } })).toContain(renderMain(aSweep()));
    expect(renderHtml(aSweep())).not.toContain('id="live');
  });
});

describe("words from outside", () => {
  const HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<!--",
    `" onmouseover="alert(1)`,
    "' autofocus onfocus='alert(1)",
    "]]><b>",
    "&lt;b&gt;",
    "</title></style></textarea>",
    "`${alert(1)}`",
    "javascript:alert(1)",
    "\u0000\u2028\u202e<x>",
  ];

  /** The same result, with other words wherever words may come from outside. */
  function withWords(word: (place: string) => string): Result {
    const targets = [word("first"), word("second")];
    const sweep = aSweep({
      targets,
      connections: [1, 50],
      trials: 2,
      change: (step) => {
        if (step.trial === 2 && step.target === targets[0]) {
          return { ...failed(step), error: { code: word("code"), message: word("message") } };
        }
        const { measurement } = withFailures(step, 0.1);
        return measurement === undefined
          ? step
          : {
              ...step,
              measurement: {
                ...measurement,
                statusCodes: { [word("status")]: 3 },
                errorCodes: { [word("error")]: 2 },
                backends: { [word("backend")]: { requests: 1 } },
              },
            };
      },
    });
    return {
      ...sweep,
      tool: { name: word("tool"), version: word("version") },
      startedAt: word("time"),
      command: word("command"),
      environment: { ...anEnvironment(), cpuModel: word("cpu"), os: word("os"), node: word("node") },
      scenario: {
        ...sweep.scenario,
        name: word("name"),
        targets: targets.map((name) => ({ name, server: word("server"), options: { url: word("url") } })),
        reference: targets[0] ?? null,
        request: { ...aScenario().request, path: word("path"), headers: [[word("header"), word("value")]] },
      },
      verdict: {
        status: "inconclusive",
        findings: [
          {
            code: "TARGET_DIED",
            severity: "error",
            args: { target: word("first"), connections: 1, message: word("died") },
          },
          { code: word("unknown") as never, severity: "warning", args: { [word("key")]: word("argument") } },
        ],
      },
    };
  }

  /** Elements, where they stand, and the names of their attributes: all that could run. */
  function shapeOf(html: string): readonly string[] {
    return outlineHtml(html).map(
      ({ name, attributes, inside }) => `${inside.join(" ")} <${name} ${[...attributes.keys()].join(" ")}>`,
    );
  }

  const plain = shapeOf(renderHtml(withWords((place) => place)));

  test.each(HOSTILE)("never become an element or an attribute: %j", (text) => {
    expect(shapeOf(renderHtml(withWords((place) => `${place} ${text}`)))).toEqual(plain);
  });

  test("never do, whatever they are", () => {
    const part = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...HOSTILE));
    const expected = shapeOf(renderMain(withWords((place) => place)));
    const words = fc.func(fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")));
    fc.assert(
      fc.property(words, (word) => {
        expect(shapeOf(renderMain(withWords((place) => `${place} ${word(place)}`)))).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  test("are shown as they are", () => {
    const html = renderHtml(withWords((place) => `${place} <b>`));
    for (const place of [
      "name",
      "first",
      "message",
      "backend",
      "command",
      "cpu",
      "path",
      "header",
      "died",
      "argument",
    ]) {
      expect(html).toContain(`${place} &lt;b&gt;`);
    }
    expect(html).not.toContain("<b>");
  });
});

test("what a ramp shows second by second is thinned out, and says so", () => {
  const html = renderMain(aRampResult());
  expect(html).toContain("Of 100 places along the axis those with a tick are listed, and the last.");
  expect(renderMain(aRampResult(SHORT))).not.toContain("places along the axis");
});
