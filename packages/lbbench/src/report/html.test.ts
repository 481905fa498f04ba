import { createHash } from "node:crypto";
import fc from "fast-check";
import { hideSecrets } from "../stats/hide-secrets.js";
import { describe, expect, it } from "vitest";
import type { ChartAxis, ChartPoint, ChartSeries } from "./charts/chart-definition.js";
import { chartDefinitions } from "./charts/chart-definitions.js";
import { renderSection } from "./html/blocks.js";
import { renderContent } from "./html/markup.js";
import { renderHtml, renderMain } from "./html/page.js";
import { renderMarkdown } from "./markdown.js";
import { outlineHtml, type OutlineTag } from "./test-support/html-outline.js";
import { readTables } from "./test-support/read-markdown.js";
import { anOpenLoop, RESULT_SHAPES, withMargin, withWords } from "./test-support/result-shapes.js";
import { aSweep } from "./test-support/sample-results.js";

const attribute = ({ attributes }: OutlineTag, name: string): string | undefined => attributes.get(name);
const named = (tags: readonly OutlineTag[], name: string): readonly OutlineTag[] =>
  tags.filter((tag) => tag.name === name);
const policyOf = (tags: readonly OutlineTag[]): readonly string[] | undefined => {
  const [policy] = tags.filter((tag) => attribute(tag, "http-equiv") === "Content-Security-Policy");
  return policy?.attributes.get("content")?.replaceAll("&#39;", "'").split("; ");
};
const json = (tags: readonly OutlineTag[], id: string): unknown =>
  JSON.parse(tags.find((tag) => attribute(tag, "id") === id)?.raw ?? "null");

/** What a reader sees of some HTML. */
const wordsOf = (html: string): string => {
  const text = html.replaceAll(/<[^>]*>/g, "");
  const entities = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#96;": "`", "&amp;": "&" };
  return Object.entries(entities).reduce((all, [entity, sign]) => all.replaceAll(entity, sign), text);
};

/** Cells of every row of every table, heads first. */
const rowsOf = (html: string): readonly (readonly string[])[] =>
  (html.match(/<tr>.*?<\/tr>/gs) ?? []).map((row) => (row.match(/<t[hd][^>]*>.*?<\/t[hd]>/gs) ?? []).map(wordsOf));

it("has a column of what was offered at a rate beside what became of it", () => {
  const heads = rowsOf(renderHtml(anOpenLoop())).filter((row) => row.includes("offered"));
  expect(heads).toEqual([expect.arrayContaining(["requests/s asked for", "ok", "offered"])]);
});

/** But for the many names from outside, of which another test tells more. */
const SHAPES = [...RESULT_SHAPES].filter(([what]) => what !== "names from outside");

describe.each(SHAPES)("the page of %s", (_, result) => {
  const html = renderHtml(result);
  const tags = outlineHtml(html);

  it("has no id twice, every id that is pointed at, and no placeholder", () => {
    const ids = tags.flatMap((tag) => attribute(tag, "id") ?? []);
    expect(ids).toEqual([...new Set(ids)]);
    const targets = tags.flatMap((tag) => [
      ...(attribute(tag, "aria-labelledby")?.split(" ") ?? []),
      ...(attribute(tag, "href")?.startsWith("#") ? [attribute(tag, "href")?.slice(1)] : []),
    ]);
    expect(targets.filter((id) => !ids.includes(id ?? ""))).toEqual([]);
    const shown = wordsOf(renderMain(result).replaceAll(/<script[^]*?<\/script>/g, ""));
    expect(shown).not.toMatch(/undefined|NaN|Infinity|\[object/);
  });

  it("has headings, landmarks, captions and heads as those need who do not see it", () => {
    const levels = tags.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name.slice(1))] : []));
    expect(levels.filter((level, at) => level === 1 || level > (levels[at - 1] ?? 0) + 1)).toEqual([1]);
    for (const name of ["main", "header", "nav"]) expect(named(tags, name)).toHaveLength(1);
    const regions = tags.filter((tag) => attribute(tag, "role") === "region");
    const labels = regions.map((tag) => attribute(tag, "aria-label"));
    expect(labels).toEqual([...new Set(labels)]);
    expect(regions.every((tag) => attribute(tag, "tabindex") === "0")).toBe(true);
    expect(named(tags, "caption")).toHaveLength(named(tags, "table").length);
    expect(named(tags, "th").filter((tag) => attribute(tag, "scope") === undefined)).toEqual([]);
  });

  it("has the same tables as the Markdown report", () => {
    const rows = new Set(rowsOf(renderMain(result)).map((row) => row.join(" | ").replaceAll("*", "").trim()));
    const tables = readTables(renderMarkdown(result, { charts: "none" }));
    for (const { head, rows: body, under } of tables.filter((table) => table.under[1] === "Results")) {
      expect(rows, under.join()).toContain(head.join(" | "));
      for (const row of body) expect(rows, under.join()).toContain(row.join(" | ").replaceAll("*", "").trim());
    }
  });

  it("has the charts as data and as figures, each with a box to draw into, and a table for who has no script", () => {
    const charts = chartDefinitions(result);
    expect(json(tags, "chart-definitions")).toEqual(JSON.parse(JSON.stringify(charts)));
    expect(named(tags, "figure").map((tag) => attribute(tag, "data-chart"))).toEqual(charts.map(({ id }) => id));
    const inFigures = tags.filter(({ inside }) => inside.includes("figure"));
    expect(inFigures.filter((tag) => attribute(tag, "class") === "chart-box")).toHaveLength(charts.length);
    expect(named(inFigures, "table").length).toBeGreaterThanOrEqual(charts.length);
    expect(json(tags, "result")).toEqual(JSON.parse(JSON.stringify(result)));
  });

  it("runs its own script and style alone, and loads nothing", () => {
    const hash = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const script = named(tags, "script").filter((tag) => attribute(tag, "type") === undefined);
    expect(script).toHaveLength(1);
    expect(policyOf(tags)).toEqual([
      "default-src 'none'",
      `script-src ${hash(script[0]?.raw)}`,
      `style-src ${hash(named(tags, "style")[0]?.raw)}`,
      "img-src data:",
      "connect-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    const loading = ["src", "srcset", "style", "onclick"];
    expect(tags.filter((tag) => tag.name === "link" || loading.some((name) => tag.attributes.has(name)))).toEqual([]);
  });
});

describe("what a page says", () => {
  it("is the verdict first, the results next, then what was noticed, with cause and remedy of each, and how to read it last", () => {
    const html = renderMain(withMargin(aSweep({ trials: 6, connections: [1, 250] }), 0.05));
    const parts = outlineHtml(html).flatMap((tag) => attribute(tag, "data-part") ?? []);
    expect([parts[0], parts[1], parts.at(-1)]).toEqual(["verdict", "results", "glossary"]);
    const [finding = ""] = /<article class="finding">[^]*?<\/article>/.exec(html) ?? [];
    expect(finding).toContain("<code>WORSE_THAN_REFERENCE</code>");
    expect(finding.match(/<dt>[^<]*<\/dt>/g)).toEqual(["<dt>Cause</dt>", "<dt>What to do</dt>"]);
  });

  it("marks what is better and worse", () => {
    const html = renderMain(aSweep({ trials: 5, connections: [1, 100] }));
    const [, table = ""] = /<caption><span>Change against single, of the([^]*?)<\/table>/.exec(html) ?? [];
    expect(table).toMatch(/<span class="bad">[^<]+ slower<\/span>[^]*<span class="good">[^<]+ faster<\/span>/);
  });

  it("is the same of a run that goes on, with a place for what goes on above it, and may talk to its server", () => {
    const html = renderHtml(aSweep(), { live: { eventsUrl: "/x</script>/events" } });
    const tags = outlineHtml(html);
    expect(policyOf(tags)).toContain("connect-src 'self'");
    expect(json(tags, "live")).toEqual({ events: "/x</script>/events" });
    const ids = tags.flatMap((tag) => attribute(tag, "id") ?? []);
    expect(ids.filter((id) => ["live-panel", "report"].includes(id))).toEqual(["live-panel", "report"]);
    expect(html).toContain(renderMain(aSweep()));
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
    "\u0000\u2028\u202e<x>",
  ];
  /** Elements, where they stand, and the names of their attributes: all that could run. */
  const shapeOf = (html: string): readonly string[] =>
    outlineHtml(html).map(
      ({ name, attributes, inside }) => `${inside.join(" ")} <${name} ${[...attributes.keys()].join(" ")}>`,
    );

  it("never become an element or an attribute, whatever they are, and are shown as they are", () => {
    const shapeWith = (word: (place: string) => string) => shapeOf(renderHtml(withWords(word)));
    const plain = shapeWith((place) => place);
    const part = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...HOSTILE));
    const words = fc.func(fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")));
    const hasSameShape = fc.property(words, (word) => {
      expect(shapeWith((place) => `${place} ${word(place)}`)).toEqual(plain);
    });
    fc.assert(hasSameShape, { numRuns: HOSTILE.length + 10, examples: HOSTILE.map((text) => [() => text]) });
    const html = renderHtml(withWords((place) => `${place} <b>`));
    for (const place of ["name", "first", "message", "backend", "command", "cpu", "path", "header", "died", "argument"])
      expect(html).toContain(`${place} &lt;b&gt;`);
  });

  it("turn no text around and hide nothing, neither what is shown nor the result that comes with it", () => {
    const around = "\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u0085\u001b";
    const result = withWords((place) => `${place}${around}!`);
    const html = renderHtml(result);
    expect(html).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(html).toContain("first !");
    const [, json = ""] = /<script type="application\/json" id="result">(.*)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(json)).toEqual(hideSecrets(JSON.parse(JSON.stringify(result))));
  });
});

describe("the table of a chart", () => {
  const points = (...xs: readonly number[]): readonly ChartPoint[] => xs.map((x) => ({ x, y: x / 8 }));
  const series = (name: string, those: readonly ChartPoint[]): ChartSeries => {
    const looks = { shape: "line", colorIndex: 0, dash: "solid", panel: 0 } as const;
    return { name, ...looks, points: those };
  };
  const render = (those: readonly ChartSeries[]): string => {
    const [x, y] = ["load", "ms"].map((label) => ({ label, scale: "linear" as const })) as [ChartAxis, ChartAxis];
    const words = { id: "x", title: "Title", subtitle: "", alt: "", panels: [""] };
    const chart = { ...words, x, y, series: those };
    return renderContent(renderSection({ id: "charts", title: "", blocks: [{ kind: "charts", charts: [chart] }] }));
  };

  it("has a row for each x and a column for each series, with whiskers, outliers and gaps", () => {
    const point = { x: 1, y: 2.5, low: 1, high: 3, outliers: [9] };
    const table = render([series("a", [point, { x: 1000, y: null }]), series("b", points(1000))]);
    const rows = ["load | a | b", "1 | 2.50 (1 to 3), outliers 9 | –", "1,000 | – | 125"];
    expect(rowsOf(table).map((row) => row.join(" | "))).toEqual(rows);
  });

  it("thins out very many rows, and says so", () => {
    const many = render([series("a", points(...Array.from({ length: 1000 }, (_, at) => at)))]);
    expect([rowsOf(many).length <= 62, rowsOf(many).at(-1)?.[0]]).toEqual([true, "999"]);
    expect(wordsOf(many)).toContain("Of 1,000 places along the axis one in 17 is listed, and the last.");
    // Of points that have places of their own all are listed.
    const own = render(
      [0, 1, 2].map((one) => series(`${one}`, points(...Array.from({ length: 30 }, (_, at) => at + one / 4)))),
    );
    expect([rowsOf(own).length, wordsOf(own).includes("is listed")]).toEqual([91, false]);
  });
});
