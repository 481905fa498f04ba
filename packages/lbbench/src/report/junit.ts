import type { Reporter } from "../plugin.js";
import { writeJunit } from "./junit/write-junit.js";

/** Writes `junit.xml`: thresholds, margins and steps as test cases; docs/formats.md says when one fails. */
export const junitReporter: Reporter = {
  format: "junit",
  render: async (result) => [{ name: "junit.xml", content: await writeJunit(result) }],
};
