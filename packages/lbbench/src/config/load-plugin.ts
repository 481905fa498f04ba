import { ConfigError } from "./config-error.js";
import { describeFailure } from "./describe-failure.js";
import { importPlugin } from "./import-plugin.js";
import { describeMissingPlugin, isModulePath, locatePlugin } from "./locate-plugin.js";
import type { PluginKind } from "./plugin-kinds.js";

/** A word that asks for a plugin, and where it stands: `targets[0].server`. */
export interface PluginWord {
  readonly word: string;
  readonly place: string;
}

/**
 * Loads the plugin that a word names: the default export of a module, given by its path from `folder` or as an installed
 * package. Resolves with `undefined` for a word that is neither; rejects with a {@link ConfigError} for a path where there
 * is no file, a module that cannot be loaded, and one that exports something else.
 */
export async function loadPlugin<Plugin>(
  { word, place }: PluginWord,
  kind: PluginKind<Plugin>,
  folder: string,
): Promise<Plugin | undefined> {
  const file = await locatePlugin(word, folder);
  if (file === undefined) {
    if (!isModulePath(word)) return undefined;
    throw new ConfigError(
      `${place}: expected the path of ${kind.what}, got "${word}", but ${describeMissingPlugin(word, folder)}`,
    );
  }
  const exported = await load(file, { word, place });
  const plugin = exported["default"];
  const fault = describeFault(exported, kind);
  if (fault === undefined) return kind.rename(plugin as Plugin, word);
  throw new ConfigError(
    `${place}: expected "${word}" to export ${kind.what} by default, an object ${kind.shape}, but ${fault}. Is it a plugin of another kind? (${file})`,
  );
}

async function load(file: string, { word, place }: PluginWord): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importPlugin(file);
  } catch (error) {
    throw new ConfigError(`${place}: the plugin "${word}" (${file}) could not be loaded: ${describeFailure(error)}`, {
      cause: error,
    });
  }
}

function describeFault(
  exported: Readonly<Record<string, unknown>>,
  kind: Pick<PluginKind<never>, "fault">,
): string | undefined {
  const plugin = exported["default"];
  if (plugin === undefined) {
    const others = Object.keys(exported).filter((name) => name !== "default");
    return `it has no default export${others.length === 0 ? "" : `, only ${others.join(", ")}`}`;
  }
  if (typeof plugin !== "object" || plugin === null) return `its default export is ${describeType(plugin)}`;
  return kind.fault(plugin as Readonly<Record<string, unknown>>);
}

function describeType(value: unknown): string {
  return value === null ? "null" : `a ${typeof value}`;
}
