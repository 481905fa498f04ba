/** Where the names of curves stand that have a panel each. */
export interface PanelTitles {
  readonly panels: readonly string[];
  /** Puts the name of an only curve before what the chart is about. */
  readonly about: (text: string) => string;
}

/** Returns a panel with a title for each name; of a single one the name goes into the subtitle, where there is room. */
export function panelPerCurve(names: readonly string[]): PanelTitles {
  const [only] = names;
  return names.length === 1 && only !== undefined
    ? { panels: [""], about: (text) => `${only} · ${text}` }
    : { panels: names, about: (text) => text };
}
