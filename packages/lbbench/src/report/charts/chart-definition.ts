/** What an axis shows. */
export interface AxisName {
  /** The quantity, or where that says it all its unit: `requests/s`. */
  readonly label: string;
  /** Stands behind the label in brackets. */
  readonly unit?: string | undefined;
}

/** An axis. */
export interface ChartAxis extends AxisName {
  /** `category` has words at equal distances, the others numbers. */
  readonly scale: "linear" | "log" | "category";
  /** Where ticks belong: the measured levels, or the words of a category axis. Absent: wherever is round. */
  readonly ticks?: readonly (number | string)[];
  /** What stands at each tick, as many as there are; absent: the number itself. */
  readonly labels?: readonly string[];
  /** The numbers that the words of a category axis stand for, as many as there are; absent: they are no numbers. */
  readonly values?: readonly number[];
  /** Where the axis ends at the least, when something is drawn beyond the last tick, or the highest value. */
  readonly end?: number;
  /** Where a value axis ends although values are higher, whose lines leave the panel. */
  readonly cut?: number;
  /** Where the bars of a value axis begin; 0 by default. */
  readonly base?: number;
}

/** A point; `y` is `null` where nothing could be measured, which leaves a gap. */
export interface ChartPoint {
  readonly x: number | string;
  readonly y: number | null;
  /** Ends of the whisker, where there were several trials. */
  readonly low?: number;
  readonly high?: number;
  /** Single trials that lie far from the others. */
  readonly outliers?: readonly number[];
  /** What a search decided of it, where that is not that it held. */
  readonly decision?: "broken" | "unclear";
  /** Whether a finding bounds its value. */
  readonly isBounded?: true;
  /** What the point is of, in words, where x does not tell: `50 connections`, `99.9 %`. */
  readonly label?: string;
  /** A few characters of it that are written beside the point where there is room. */
  readonly tag?: string;
}

/** How a line is drawn. */
export type LineDash = "solid" | "dashed" | "dotted";

/** Points that belong together. */
export interface ChartSeries {
  /** Shown in the legend; may come from outside. Series of different panels that share a name share an entry. */
  readonly name: string;
  /** `area`: a quiet one behind the others, on the axis on the right. */
  readonly shape: "line" | "bar" | "area";
  /** A line of many points, which are not marked one by one. */
  readonly dense?: boolean;
  /** Bars of the same stack stand on one another, others side by side. */
  readonly stack?: string;
  /** Index into the palette and the markers. */
  readonly colorIndex: number;
  readonly dash: LineDash;
  /** Index into the definition's panels. */
  readonly panel: number;
  readonly points: readonly ChartPoint[];
}

/** A place along the x axis that a word is said about, in one panel. */
export interface ChartMark {
  readonly panel: number;
  readonly x: number;
  readonly label: string;
  /** The same in a word, for where the place itself is named: `limit`. */
  readonly short?: string;
  /** The same with its place, for where no line is drawn: `kill backend-2 at 3s`. */
  readonly whole?: string;
}

/** A value that points are held against, as a line across one panel. */
export interface ChartRule {
  readonly panel: number;
  readonly y: number;
  /** A few words, such as `even share`; empty for none. */
  readonly label: string;
}

/** A chart as data, for the picture and for the page. */
export interface ChartDefinition {
  /** Stem of the file name: `throughput`. */
  readonly id: string;
  readonly title: string;
  readonly subtitle: string;
  /** What whiskers are: `95 % interval`; absent where there are none. */
  readonly whiskers?: string | undefined;
  /** Lines below the subtitle, about marks that not every chart has. */
  readonly note?: string | undefined;
  /** What is seen, in words, for those who do not see it. */
  readonly alt: string;
  readonly x: ChartAxis;
  /** Shared by all panels, with the same ends. */
  readonly y: ChartAxis;
  /** That of the areas, shared by all panels as well; absent where there are none. */
  readonly right?: ChartAxis | undefined;
  /** Charts above one another with a title each; a single one with an empty title is the usual chart. */
  readonly panels: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly marks?: readonly ChartMark[] | undefined;
  readonly rules?: readonly ChartRule[] | undefined;
}

/** The subtitle with what whiskers are, for where they are drawn. */
export function wholeSubtitle({ subtitle, whiskers }: Pick<ChartDefinition, "subtitle" | "whiskers">): string {
  return whiskers === undefined ? subtitle : `${subtitle} · whiskers: ${whiskers}`;
}

/** A series of a {@link ChartRow}: a solid line in the first panel unless told otherwise. */
export type RowSeries = Pick<ChartSeries, "name" | "points"> & Partial<ChartSeries>;

/** What a chart is made of; `chart-definitions.ts` makes the rest of it by the same rules for all: subtitle, notes and alternative text. */
export interface ChartRow extends Pick<ChartDefinition, "id" | "title" | "x" | "y" | "right" | "marks" | "rules"> {
  /** What the subtitle says behind the scenario's name; empty parts are left out. */
  readonly about: string | readonly string[];
  /** What whiskers are; by default the interval of the trials. */
  readonly whiskers?: string;
  readonly notes?: readonly string[];
  /** One by default; of a single one the title goes into the subtitle, where there is room. */
  readonly panels?: readonly string[];
  readonly series: readonly RowSeries[];
}
