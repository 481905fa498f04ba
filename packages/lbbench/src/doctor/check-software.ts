import type { Check } from "./diagnosis.js";
import type { Readings } from "./readings.js";

/** What package.json promises to run on. */
const OLDEST_NODE = [20, 19] as const;

/** Node.js, and what draws pictures. */
export function checkSoftware({ nodeVersion, pngProblem }: Readings): readonly Check[] {
  return [checkNode(nodeVersion), checkPictures(pngProblem)];
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  const base = { id: "node", title: "Node.js", found: version };
  const isNewEnough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return isNewEnough
    ? { ...base, status: "ok" }
    : { ...base, status: "problem", remedy: `Install Node.js ${OLDEST_NODE.join(".")} or later.` };
}

function checkPictures(problem: string | null): Check {
  const base = { id: "png", title: "PNG charts" };
  return problem === null
    ? { ...base, status: "ok", found: "can be drawn" }
    : { ...base, status: "warning", found: "cannot be drawn; reports have no pictures", remedy: problem };
}
