import type { ChartStyle } from "../plugin.js";

/** How charts can be shown in a text. */
export const CHART_STYLES = ["png", "mermaid", "none"] as const satisfies readonly ChartStyle[];
