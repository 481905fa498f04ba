import { ConfigError } from "../config/config-error.js";

/** The scripts that are added to a package.json. */
export const SCRIPTS = Object.freeze({ bench: "lbbench sweep", "bench:max": "lbbench max" });

/** A package.json with the scripts in it. */
export interface AddedScripts {
  readonly text: string;
  /** Names of scripts that say something else already, and were left so. */
  readonly kept: readonly string[];
}

/**
 * Adds our scripts at the end of those of a package.json, whose order, indentation, line breaks and end stay. One of the
 * same name is replaced only with `force`. Throws a `ConfigError` where its scripts are no object.
 */
export function addScripts(text: string, { force }: { readonly force: boolean }): AddedScripts {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const content = JSON.parse(text.slice(mark.length)) as Record<string, unknown>;
  const scripts = content["scripts"] ?? {};
  if (typeof scripts !== "object" || Array.isArray(scripts)) {
    throw new ConfigError(
      `package.json: scripts: expected an object, got ${JSON.stringify(scripts)}. Mend it, or give --no-scripts.`,
    );
  }
  const present = new Map(Object.entries(scripts));
  const kept = Object.entries(SCRIPTS).flatMap(([name, script]) =>
    !force && present.has(name) && present.get(name) !== script ? [name] : [],
  );
  const added = Object.entries(SCRIPTS).filter(
    ([name, script]) => !kept.includes(name) && present.get(name) !== script,
  );
  if (added.length === 0) return { text, kept };
  const [, indent = "  "] = /^[[{]\r?\n([ \t]+)/.exec(text.slice(mark.length)) ?? [];
  const [, end = ""] = /(\s*)$/.exec(text) ?? [];
  const changed = { ...content, scripts: { ...scripts, ...Object.fromEntries(added) } };
  const lines = JSON.stringify(changed, null, indent);
  return { text: `${mark}${text.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines}${end}`, kept };
}
