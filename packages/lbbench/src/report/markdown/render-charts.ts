import type { ChartStyle } from "../../plugin.js";
import type { ChartDefinition } from "../charts/chart-definition.js";
import { codeBlock, escapeBlockStart } from "../escape-markdown.js";
import { xyCharts, type XyChart } from "../mermaid/xy-charts.js";
import { renderInlines } from "./render-inlines.js";

/** So many charts are open, the others a click away. */
const OPEN = { png: 4, mermaid: 2 } as const;

/** More Mermaid blocks make the page of a job summary slow. */
const MOST_BLOCKS = 10;

/** Renders charts as links to their pictures, or as Mermaid blocks; nothing where charts are left out. */
export function renderCharts(charts: readonly ChartDefinition[], style: ChartStyle): readonly string[] {
  if (style === "none") return [];
  if (style === "png")
    return fold(
      charts.map((chart) => [linkPicture(chart)]),
      OPEN.png,
    );
  const texts: (readonly string[])[] = [];
  const left: string[] = [];
  let blocksSoFar = 0;
  for (const definition of charts) {
    const blocks = xyCharts(definition);
    if (blocks === undefined || blocksSoFar + blocks.length > MOST_BLOCKS) left.push(definition.title);
    else if (blocks.length > 0) {
      blocksSoFar += blocks.length;
      texts.push(renderMermaid(definition, blocks));
    }
  }
  return [
    ...fold(texts, OPEN.mermaid),
    ...(left.length === 0 ? [] : [renderInlines(`Not drawn here: ${left.join(", ")}. The HTML report has it all.`)]),
  ];
}

function fold(all: readonly (readonly string[])[], open: number): readonly string[] {
  const charts = all.slice(open);
  if (charts.length === 0) return all.flat();
  const summary = charts.length === 1 ? "One more chart" : `${charts.length} more charts`;
  return [...all.slice(0, open).flat(), `<details>\n<summary>${summary}</summary>`, ...charts.flat(), "</details>"];
}

/** The PNG reporter draws it into the same folder; what is seen is said in words. */
function linkPicture({ id, title, alt }: ChartDefinition): string {
  return `![${renderInlines(`${title}. ${alt}`)}](${id}.png)`;
}

/** What a subtitle says of whiskers, which Mermaid does not draw. */
const WHISKERS = /(?:,| ·) whiskers: [^·]*$/;

function renderMermaid({ title, subtitle }: ChartDefinition, blocks: readonly XyChart[]): readonly string[] {
  const head = renderInlines([{ kind: "strong", text: title }, `: ${subtitle.replace(WHISKERS, "")}`]);
  return [head, ...blocks.flatMap(renderBlock)];
}

/** What the lines of a block are stands before it: Mermaid draws no legend. */
function renderBlock({ panel, code, legend }: XyChart): readonly string[] {
  const lines = legend.map(({ square, name }) => `${square} ${name}`).join(" · ");
  const text = renderInlines(panel === "" ? lines : [{ kind: "strong", text: panel }, `: ${lines}`]);
  return [escapeBlockStart(text), codeBlock(code, "mermaid")];
}
