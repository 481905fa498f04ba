import { CHART_STYLES } from "../config/chart-styles.js";
import { listWords, suggest } from "../config/config-error.js";
import { ConfigError, type ChartStyle } from "../index.js";

/** Reads the value of a flag `--charts`; throws a `ConfigError` when it is none of those there are. */
export function parseCharts(given: string): ChartStyle {
  const style = CHART_STYLES.find((one) => one === given);
  if (style !== undefined) return style;
  throw new ConfigError(
    `--charts: expected ${listWords(CHART_STYLES)}, got "${given}".${suggest(given, CHART_STYLES)}`,
  );
}
