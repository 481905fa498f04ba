/** What an axis shows. `category` has words at equal distances, the others numbers. */
export type ChartScale = "linear" | "log" | "category";

/** An axis: its label names the quantity and, in brackets, the unit. */
export interface ChartAxis {
  readonly label: string;
  readonly scale: ChartScale;
  /** Where ticks belong: the measured levels, or the words of a category axis. Absent: wherever is round. */
  readonly ticks?: readonly (number | string)[];
}

/** A point; `y` is `null` where nothing could be measured, which leaves a gap. */
export interface ChartPoint {
  readonly x: number | string;
  readonly y: number | null;
  /** Ends of the whisker, where there were several trials. */
  readonly low?: number;
  readonly high?: number;
}

/** How a line is drawn. */
export type LineDash = "solid" | "dashed" | "dotted";

/** Points that belong together. */
export interface ChartSeries {
  /** Shown in the legend; may come from outside. Series of different panels that share a name share an entry. */
  readonly name: string;
  readonly shape: "line" | "bar";
  /** Bars of the same stack stand on one another, others side by side. */
  readonly stack?: string;
  /** Index into the palette and the markers. */
  readonly colorIndex: number;
  readonly dash: LineDash;
  /** Index into the definition's panels. */
  readonly panel: number;
  readonly points: readonly ChartPoint[];
}

/** A chart as data, whatever draws it. */
export interface ChartDefinition {
  /** Stem of the file name: `throughput`. */
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  /** What is seen, in words, for those who do not see it. */
  readonly alt: string;
  readonly x: ChartAxis;
  /** Shared by all panels, with the same ends. */
  readonly y: ChartAxis;
  /** Charts above one another with a title each; a single one with an empty title is the usual chart. */
  readonly panels: readonly string[];
  readonly series: readonly ChartSeries[];
}
