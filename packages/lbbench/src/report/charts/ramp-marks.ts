import type { FindingCode } from "../../model/finding.js";
import type { Result } from "../../model/result.js";
import type { TargetRamp } from "../ramps.js";
import type { ChartDefinition, ChartMark } from "./chart-definition.js";
import { countOf } from "../../stats/count-of.js";

/** What findings of a ramp are called beside the second they name, and which arg tells the users. */
const MARKED: ReadonlyMap<FindingCode, { readonly word: string; readonly users: string }> = new Map([
  ["KNEE", { word: "knee", users: "knee" }],
  ["CLIFF", { word: "cliff", users: "firstBad" }],
  ["DEGRADES", { word: "degrades", users: "firstBad" }],
  ["SHEDS", { word: "sheds", users: "firstBad" }],
]);

/** Returns where the verdict says that something happens to a target, a panel each, in the order of the ramps. */
export function rampMarks({ verdict }: Result, ramps: readonly TargetRamp[]): Pick<ChartDefinition, "marks"> {
  const marks = ramps.flatMap(({ cell }, panel) =>
    verdict.findings.flatMap(({ code, args }): readonly ChartMark[] => {
      const { word, users } = MARKED.get(code) ?? {};
      const [second, load] = [args["second"], users === undefined ? undefined : args[users]];
      return args["target"] === cell.target && typeof second === "number" && typeof load === "number"
        ? [{ panel, x: second, label: `${word} at ${countOf(load, "user")}` }]
        : [];
    }),
  );
  return marks.length === 0 ? {} : { marks: marks.toSorted((a, b) => a.panel - b.panel || a.x - b.x) };
}
