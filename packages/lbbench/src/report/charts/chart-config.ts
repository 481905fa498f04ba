import type { Chart, ChartConfiguration } from "chart.js";
import { backgroundPlugin, fitText, outliersPlugin, panelLabelsPlugin, whiskersPlugin } from "./canvas-plugins.js";
import { marksPlugin } from "./marks-plugin.js";
import { pointTagsPlugin } from "./point-tags-plugin.js";
import { rulesPlugin } from "./rules-plugin.js";
import { chartDatasets, type DrawnPoint } from "./chart-datasets.js";
import { chartLegend } from "./chart-legend.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartScales } from "./chart-scales.js";
import { chartFont, type ChartStyle, PICTURE } from "./picture-style.js";

/** A chart as chart.js draws it. */
export type DrawnChart = ChartConfiguration<"line" | "bar", DrawnPoint[]>;

/** Turns a definition into the configuration of a still chart.js picture; `style` is that of PNG unless told otherwise. */
export function chartConfig(definition: ChartDefinition, style: ChartStyle = PICTURE): DrawnChart {
  const { padding } = style;
  const atLabel = padding + style.labelSize * 2;
  return {
    // Every dataset has a type of its own; this is only what chart.js asks for.
    type: "line",
    data: { datasets: chartDatasets(definition, style) },
    options: {
      animation: false,
      responsive: false,
      devicePixelRatio: 1,
      layout: {
        padding: {
          top: padding,
          right: definition.right === undefined ? padding * 2 : atLabel,
          bottom: padding,
          left: atLabel,
        },
      },
      scales: chartScales(definition, style),
      plugins: {
        title: title(definition, style),
        subtitle: subtitle(definition, style),
        legend: chartLegend(definition, style),
      },
    },
    plugins: [
      backgroundPlugin(style),
      whiskersPlugin(style),
      outliersPlugin(style),
      panelLabelsPlugin(definition, style),
      rulesPlugin(definition, style),
      marksPlugin(definition, style),
      pointTagsPlugin(definition, style),
    ],
  };
}

function title({ title: text }: ChartDefinition, style: ChartStyle): object {
  return {
    display: true,
    align: "start",
    color: style.text,
    text: fitted([text], style, `bold ${style.titleSize}px ${style.fontFamily}`),
    font: { ...chartFont(style, style.titleSize), weight: "bold" },
    padding: { bottom: 8 },
  };
}

function subtitle({ subtitle: text, note }: ChartDefinition, style: ChartStyle): object {
  return {
    display: true,
    align: "start",
    color: style.faintText,
    text: fitted(
      [text, ...(note === undefined ? [] : note.split("\n"))],
      style,
      `${style.subtitleSize}px ${style.fontFamily}`,
    ),
    font: chartFont(style, style.subtitleSize),
    padding: { bottom: 28 },
  };
}

/** Lines that are shortened as soon as there is a canvas that knows how wide they are. */
function fitted(
  lines: readonly string[],
  { padding }: ChartStyle,
  font: string,
): (context: { readonly chart: Chart }) => string[] {
  return ({ chart: { ctx, width } }) => {
    ctx.save();
    ctx.font = font;
    const texts = lines.map((line) => fitText(ctx, line, width - 4 * padding));
    ctx.restore();
    return texts;
  };
}
