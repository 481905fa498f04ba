import type { Chart, Plugin } from "chart.js";

/** As much as a line is thick, so that one along the end of an axis is seen. */
const MARGIN = 2;

/** Returns the first and the last plugin of a chart: what is drawn between them stays inside the part of the axes that is seen. */
export function clipPlugins(isZoomed: () => boolean): readonly [first: Plugin, last: Plugin] {
  const clip = (chart: Chart, top: number, bottom: number): void => {
    const { ctx, chartArea } = chart;
    ctx.save();
    if (!isZoomed()) return;
    ctx.beginPath();
    ctx.rect(
      chartArea.left - MARGIN,
      top - MARGIN,
      chartArea.right - chartArea.left + 2 * MARGIN,
      bottom - top + 2 * MARGIN,
    );
    ctx.clip();
  };
  return [
    {
      id: "clip",
      beforeDatasetDraw: (chart, { meta }) => {
        const { top, bottom } = meta.yScale ?? chart.chartArea;
        clip(chart, top, bottom);
      },
      afterDatasetsDraw: (chart) => clip(chart, chart.chartArea.top, chart.chartArea.bottom),
    },
    {
      id: "unclip",
      afterDatasetDraw: ({ ctx }) => ctx.restore(),
      afterDatasetsDraw: ({ ctx }) => ctx.restore(),
    },
  ];
}
