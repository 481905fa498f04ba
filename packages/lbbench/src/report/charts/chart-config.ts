import type { ChartConfiguration } from "chart.js";
import { backgroundPlugin, outliersPlugin, panelLabelsPlugin, whiskersPlugin } from "./canvas-plugins.js";
import { marksPlugin } from "./marks-plugin.js";
import { chartDatasets } from "./chart-datasets.js";
import type { DrawnPoint } from "./chart-datasets.js";
import { chartLegend } from "./chart-legend.js";
import type { ChartDefinition } from "./chart-definition.js";
import { chartScales } from "./chart-scales.js";
import { PICTURE, pictureFont } from "./picture-style.js";
import { shortenName } from "../shorten-name.js";

/** A chart as chart.js draws it. */
export type DrawnChart = ChartConfiguration<"line" | "bar", DrawnPoint[]>;

const LONGEST_TITLE = 100;
const LONGEST_PANEL_TITLE = 90;

/** Turns a definition into the configuration of a still chart.js picture, in the sizes of `PICTURE`. */
export function chartConfig(definition: ChartDefinition): DrawnChart {
  const panels = definition.panels.map((title) => shortenName(title, LONGEST_PANEL_TITLE));
  const drawn = { ...definition, panels };
  const { padding } = PICTURE;
  const atLabel = padding + PICTURE.labelSize * 2;
  return {
    // Every dataset has a type of its own; this is only what chart.js asks for.
    type: "line",
    data: { datasets: chartDatasets(drawn) },
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
      scales: chartScales(drawn),
      plugins: { title: title(definition), subtitle: subtitle(definition), legend: chartLegend(definition) },
    },
    plugins: [backgroundPlugin(), whiskersPlugin(), outliersPlugin(), panelLabelsPlugin(drawn), marksPlugin(drawn)],
  };
}

function title({ title: text }: ChartDefinition): object {
  return {
    display: true,
    align: "start",
    color: PICTURE.text,
    text: shortenName(text, LONGEST_TITLE),
    font: { ...pictureFont(PICTURE.titleSize), weight: "bold" },
    padding: { bottom: 8 },
  };
}

function subtitle({ subtitle: text, note }: ChartDefinition): object {
  return {
    display: true,
    align: "start",
    color: PICTURE.faintText,
    text: [text, ...(note === undefined ? [] : note.split("\n"))].map((line) => shortenName(line, LONGEST_TITLE)),
    font: pictureFont(PICTURE.subtitleSize),
    padding: { bottom: 28 },
  };
}
