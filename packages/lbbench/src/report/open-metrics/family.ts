/** One figure, and what it is of. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Figures of one name; the name tells the unit, that of a counter is without `_total`. */
export interface Family {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  /** Those that a sample may have; what it has not is left out. */
  readonly labels: readonly string[];
  readonly samples: readonly Sample[];
}
