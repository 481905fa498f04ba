import type { Chart, LegendItem, LegendOptions } from "chart.js";
import type { ChartDefinition } from "./chart-definition.js";
import { lineDash, LONGEST_SERIES_NAME } from "./chart-datasets.js";
import { colorAt, markerAt } from "./palette.js";
import { chartFont, type ChartStyle } from "./picture-style.js";
import { shortenName } from "../plain-line.js";

const LINE_LENGTH = 50;
const BOX_HEIGHT = 18;

/** What of chart.js's legend is set; the rest is its default. */
interface DrawnLegend {
  readonly position: "bottom";
  readonly labels: Partial<LegendOptions<"line">["labels"]>;
}

/**
 * Returns chart.js's legend with one entry for each name: a piece of the line where lines differ by their dashes, else
 * the marker of a line or the box of a bar.
 */
export function chartLegend(definition: ChartDefinition, style: ChartStyle): DrawnLegend {
  const { series } = definition;
  const measured = series.filter(({ dense, shape }) => dense !== true && shape !== "area");
  const isByDash = new Set(measured.map(({ dash }) => dash)).size > 1 || measured.length === 0;
  return {
    position: "bottom",
    labels: {
      color: style.text,
      font: chartFont(style, style.labelSize),
      padding: BOX_HEIGHT * style.lineScale,
      boxHeight: BOX_HEIGHT * style.lineScale,
      usePointStyle: true,
      ...(isByDash ? { pointStyleWidth: LINE_LENGTH * style.lineScale } : {}),
      generateLabels: (_chart: Chart) => legendItems(definition, style, isByDash),
    },
  };
}

function legendItems({ series }: ChartDefinition, style: ChartStyle, isByDash: boolean): LegendItem[] {
  const names = series.map(({ name }) => name);
  return series.flatMap(({ name, shape, dash, colorIndex, dense }, datasetIndex) => {
    if (names.indexOf(name) !== datasetIndex) {
      return [];
    }
    const isShared = series.some((other) => other.name === name && other.colorIndex !== colorIndex);
    const color = isShared ? style.faintText : colorAt(colorIndex, style.palette);
    const isLine = isByDash || dense === true;
    const marker = shape === "bar" ? "rect" : markerAt(colorIndex);
    const looks =
      shape === "area"
        ? {
            fillStyle: style.area,
            strokeStyle: style.areaEdge,
            lineWidth: 2 * style.lineScale,
            pointStyle: "rect" as const,
          }
        : {
            fillStyle: color,
            strokeStyle: color,
            lineWidth: 5 * style.lineScale,
            lineDash: isLine ? lineDash(dash, style) : [],
            pointStyle: isLine ? ("line" as const) : marker,
          };
    return [{ datasetIndex, text: shortenName(name, LONGEST_SERIES_NAME), fontColor: style.text, ...looks }];
  });
}
