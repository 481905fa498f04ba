import { plainLine } from "../plain-line.js";
import type { ChartAxis, ChartDefinition, ChartPoint } from "./chart-definition.js";

/** Returns a chart without characters that would break its lines or turn text around, wherever names from outside may stand. */
export function cleanWords(definition: ChartDefinition): ChartDefinition {
  const { title, subtitle, note, alt, x, y, right, panels, series, marks, rules } = definition;
  return {
    ...definition,
    title: plainLine(title),
    subtitle: plainLine(subtitle),
    ...(note === undefined ? {} : { note: note.split("\n").map(plainLine).join("\n") }),
    alt: plainLine(alt),
    x: cleanAxis(x),
    y: cleanAxis(y),
    ...(right === undefined ? {} : { right: cleanAxis(right) }),
    panels: panels.map(plainLine),
    series: series.map((one) => ({ ...one, name: plainLine(one.name), points: one.points.map(cleanPoint) })),
    ...(marks === undefined ? {} : { marks: marks.map((mark) => ({ ...mark, label: plainLine(mark.label) })) }),
    ...(rules === undefined ? {} : { rules: rules.map((rule) => ({ ...rule, label: plainLine(rule.label) })) }),
  };
}

function cleanAxis(axis: ChartAxis): ChartAxis {
  const { label, ticks, labels } = axis;
  return {
    ...axis,
    label: plainLine(label),
    ...(ticks === undefined ? {} : { ticks: ticks.map(cleanPlace) }),
    ...(labels === undefined ? {} : { labels: labels.map(plainLine) }),
  };
}

function cleanPoint(point: ChartPoint): ChartPoint {
  const { x, label, tag } = point;
  if (typeof x === "number" && label === undefined && tag === undefined) return point;
  return {
    ...point,
    x: cleanPlace(x),
    ...(label === undefined ? {} : { label: plainLine(label) }),
    ...(tag === undefined ? {} : { tag: plainLine(tag) }),
  };
}

function cleanPlace<T extends number | string>(place: T): T | string {
  return typeof place === "string" ? plainLine(place) : place;
}
