import type { Reporter } from "../plugin.js";

/** Writes `result.json`: the whole result, indented by two spaces, with a line break at its end. */
export const jsonReporter: Reporter = {
  format: "json",
  render: (result) => [{ name: "result.json", content: `${JSON.stringify(result, null, 2)}\n` }],
};
