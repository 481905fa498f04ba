/** Renders results of 5 targets x LEVELS levels x 5 trials in all formats, one after the other: `render.mjs LEVELS...`. Prints how long each took, in ms. */
import { FORMAT_NAMES, renderReport } from "lbbench";
import { createSampleResult } from "lbbench/testing";
import { timeOf } from "../rounds.mjs";

const times = [];
for (const levels of process.argv.slice(2).map(Number)) {
  const connections = Array.from({ length: levels }, (_, index) => (index + 1) * 10);
  const result = createSampleResult({ targets: 5, connections, trials: 5 });
  times.push(
    await timeOf(async () => {
      const { problems } = await renderReport(result, FORMAT_NAMES);
      // Without what draws, a report is quicker and has no pictures.
      if (problems.length > 0) throw new Error(problems.join("; "));
    }),
  );
}
console.log(JSON.stringify(times));
