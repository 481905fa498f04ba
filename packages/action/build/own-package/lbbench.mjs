import { name, version } from "../../../lbbench/package.json";

export const TOOL = { name, version };

/** A config file may import lbbench, which need not be installed where the bundle runs. */
export async function loadOwnModules() {
  return { lbbench: await import("lbbench") };
}
