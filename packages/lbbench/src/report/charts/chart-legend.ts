import type { Chart, LegendItem, LegendOptions } from "chart.js";
import type { ChartDefinition } from "./chart-definition.js";
import { lineDash, LONGEST_SERIES_NAME } from "./chart-datasets.js";
import { colorAt, markerAt } from "./palette.js";
import { PICTURE, pictureFont } from "./picture-style.js";
import { shortenName } from "../shorten-name.js";

const LINE_LENGTH = 50;

/** What of chart.js's legend is set; the rest is its default. */
export interface DrawnLegend {
  readonly position: "bottom";
  readonly labels: Partial<LegendOptions<"line">["labels"]>;
}

/**
 * Returns chart.js's legend with one entry for each name: a piece of the line where lines differ by their dashes, else
 * the marker of a line or the box of a bar.
 */
export function chartLegend(definition: ChartDefinition): DrawnLegend {
  const { series } = definition;
  const measured = series.filter(({ dense, shape }) => dense !== true && shape !== "area");
  const isByDash = new Set(measured.map(({ dash }) => dash)).size > 1 || measured.length === 0;
  return {
    position: "bottom",
    labels: {
      color: PICTURE.text,
      font: pictureFont(PICTURE.labelSize),
      padding: 18,
      boxHeight: 18,
      usePointStyle: true,
      ...(isByDash ? { pointStyleWidth: LINE_LENGTH } : {}),
      generateLabels: (_chart: Chart) => legendItems(definition, isByDash),
    },
  };
}

function legendItems({ series }: ChartDefinition, isByDash: boolean): LegendItem[] {
  const names = series.map(({ name }) => name);
  return series.flatMap(({ name, shape, dash, colorIndex, dense }, datasetIndex) => {
    if (names.indexOf(name) !== datasetIndex) {
      return [];
    }
    const isShared = series.some((other) => other.name === name && other.colorIndex !== colorIndex);
    const color = isShared ? PICTURE.faintText : colorAt(colorIndex);
    const isLine = isByDash || dense === true;
    const marker = shape === "bar" ? "rect" : markerAt(colorIndex);
    const looks =
      shape === "area"
        ? { fillStyle: PICTURE.area, strokeStyle: PICTURE.areaEdge, lineWidth: 2, pointStyle: "rect" as const }
        : {
            fillStyle: color,
            strokeStyle: color,
            lineWidth: 5,
            lineDash: isLine ? lineDash(dash) : [],
            pointStyle: isLine ? ("line" as const) : marker,
          };
    return [{ datasetIndex, text: shortenName(name, LONGEST_SERIES_NAME), fontColor: PICTURE.text, ...looks }];
  });
}
