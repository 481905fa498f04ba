import type { Check } from "./diagnosis.js";
import type { Readings } from "./readings.js";
import { TOOLS } from "./tools.js";

/** One check for each tool; a tool that is missing is worth a warning, because lbbench works without it. */
export function checkTools({ tools }: Pick<Readings, "tools">): readonly Check[] {
  return tools.map(({ name, version }): Check => {
    const base = { id: `tool-${name}`, title: name };
    const tool = TOOLS.find((one) => one.name === name);
    return version === null
      ? {
          ...base,
          status: "warning",
          found: `not found; ${tool?.purpose ?? ""}`,
          remedy: `Install it, if you need it:\n${tool?.install ?? name}`,
        }
      : { ...base, status: "ok", found: version };
  });
}
