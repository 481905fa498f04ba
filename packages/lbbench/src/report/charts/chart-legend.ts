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
  const isByDash = new Set(definition.series.map(({ dash }) => dash)).size > 1;
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
  return series.flatMap(({ name, shape, dash, colorIndex }, datasetIndex) => {
    if (names.indexOf(name) !== datasetIndex) {
      return [];
    }
    const color = colorAt(colorIndex);
    const marker = shape === "bar" ? "rect" : markerAt(colorIndex);
    return [
      {
        datasetIndex,
        text: shortenName(name, LONGEST_SERIES_NAME),
        fontColor: PICTURE.text,
        fillStyle: color,
        strokeStyle: color,
        lineWidth: 5,
        lineDash: isByDash ? lineDash(dash) : [],
        pointStyle: isByDash ? "line" : marker,
      },
    ];
  });
}
