import type { ChartConfiguration } from "chart.js";
import { backgroundPlugin, panelLabelsPlugin, whiskersPlugin } from "./canvas-plugins.js";
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
  return {
    // Every dataset has a type of its own; this is only what chart.js asks for.
    type: "line",
    data: { datasets: chartDatasets(drawn) },
    options: {
      animation: false,
      responsive: false,
      devicePixelRatio: 1,
      layout: { padding: { top: padding, right: padding * 2, bottom: padding, left: padding + PICTURE.labelSize * 2 } },
      scales: chartScales(drawn),
      plugins: { title: title(definition), subtitle: subtitle(definition), legend: chartLegend(definition) },
    },
    plugins: [backgroundPlugin(), whiskersPlugin(), panelLabelsPlugin(drawn)],
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

function subtitle({ subtitle: text }: ChartDefinition): object {
  return {
    display: true,
    align: "start",
    color: PICTURE.faintText,
    text: shortenName(text, LONGEST_TITLE),
    font: pictureFont(PICTURE.subtitleSize),
    padding: { bottom: 28 },
  };
}
