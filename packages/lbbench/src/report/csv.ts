import type { Reporter } from "../plugin.js";
import { cleanNames } from "./clean-text.js";
import { SECOND_COLUMNS, listSeconds } from "./csv/second-columns.js";
import { STEP_COLUMNS } from "./csv/step-columns.js";
import { writeCsv } from "./csv/write-csv.js";

/** Writes `steps.csv`, one row for each step, and `seconds.csv`, one for each second of each; docs/formats.md has the columns. */
export const csvReporter: Reporter = {
  format: "csv",
  render: async ({ steps: measured }) => {
    // Rows of one target are told from those of another by its name alone.
    const names = cleanNames(measured.map(({ target }) => target));
    const steps = measured.map((step) => ({ ...step, target: names.get(step.target) ?? step.target }));
    return [
      { name: "steps.csv", content: await writeCsv(STEP_COLUMNS, steps) },
      { name: "seconds.csv", content: await writeCsv(SECOND_COLUMNS, listSeconds(steps)) },
    ];
  },
};
