import * as z from "zod";
import type { BackendGroup } from "../model/scenario.js";
import type { Engine, Reporter, Server, ServerChoice } from "../plugin.js";
import { ConfigError, explained, listWords, suggest } from "./config-error.js";
import { importModule, locateModule } from "./modules.js";
import { defined } from "../stats/defined.js";
import { isRecord } from "../stats/plain-data.js";

/** A kind of plugins: what a module of it has to export, and how the plugin is called by the word that asked for it. */
export interface PluginKind<Plugin> {
  /** With its article: `a server`. */
  readonly what: string;
  /** What it is made of, for messages. */
  readonly shape: string;
  readonly parts: z.ZodType;
  readonly rename: (plugin: Plugin, word: string) => Plugin;
}

const text = z.string("is no text").trim().min(1, "is no text");
const list = z.array(z.unknown(), "is no list");
const method = z.custom((part) => typeof part === "function", "is no function");
const schema = z.custom((part) => isRecord(part) && "_zod" in part && "safeParse" in part, "are no schema of zod 4");

/** Of {@link Server}. It keeps its name, which its target has where it has no other. */
export const SERVER_KIND: PluginKind<Server> = {
  what: "a server",
  shape: "{ name, options, start }",
  parts: z.object({
    name: text,
    options: schema,
    start: method,
    check: method.optional(),
    protocol: method.optional(),
  }),
  rename: (server) => server,
};

/** Of {@link Engine}. Nothing is loaded by it unless it is asked for by name. */
export const ENGINE_KIND: PluginKind<Engine> = {
  what: "an engine",
  shape: "{ name, supports, run }",
  parts: z.object({
    name: text,
    supports: z.object({ protocols: list, loads: list }, "is no object"),
    options: schema.optional(),
    run: method,
    check: method.optional(),
  }),
  rename: (engine, word) => ({
    name: word,
    supports: { ...engine.supports, automatic: false },
    ...defined({ options: engine.options, check: engine.check?.bind(engine) }),
    run: engine.run.bind(engine),
  }),
};

/** Of {@link Reporter}. */
export const REPORTER_KIND: PluginKind<Reporter> = {
  what: "a reporter",
  shape: "{ format, render }",
  parts: z.object({ format: text, render: method }),
  rename: (reporter, word) => ({ format: word, render: reporter.render.bind(reporter) }),
};

/** Plugins of one kind by the words that name them: built-in ones, and others found since. */
export interface PluginMap<Plugin> extends ReadonlyMap<string, Plugin> {
  /**
   * The plugin of a word: a known one, or the default export of a module, given by its path or as an installed package; `undefined`
   * for any other word. Rejects with a {@link ConfigError} for a path where there is no file, a module that cannot be loaded, and
   * one that exports something else.
   */
  readonly load: (word: string, place: string) => Promise<Plugin | undefined>;
  /** As `load`; rejects with what there is for a word that names no plugin. */
  readonly find: (word: string, place: string) => Promise<Plugin>;
}

/** The plugins that a run may use. */
export interface Plugins {
  readonly servers: PluginMap<Server>;
  readonly engines: PluginMap<Engine>;
  readonly reporters: PluginMap<Reporter>;
}

/** Makes a map of plugins that finds others from `folder` on. */
export function pluginMap<Plugin>(
  kind: PluginKind<Plugin>,
  known: Iterable<readonly [string, Plugin]>,
  folder: string,
): PluginMap<Plugin> {
  const plugins = new Map(known);
  const load = async (word: string, place: string): Promise<Plugin | undefined> => {
    const plugin = plugins.get(word) ?? (await loadPlugin(kind, word, place, folder));
    if (plugin !== undefined) plugins.set(word, plugin);
    return plugin;
  };
  const find = async (word: string, place: string): Promise<Plugin> => {
    const plugin = await load(word, place);
    if (plugin !== undefined) return plugin;
    const hint =
      suggest(word, plugins.keys()) ||
      " A plugin of your own is named by its path, ./mine.mjs, or by its installed package.";
    throw new ConfigError(`${place}: expected ${listWords(plugins.keys())}, got "${word}".${hint}`);
  };
  return Object.assign(plugins, { load, find });
}

async function loadPlugin<Plugin>(
  { what, shape, parts, rename }: PluginKind<Plugin>,
  word: string,
  place: string,
  folder: string,
): Promise<Plugin | undefined> {
  const locating = locateModule(word, folder);
  const expected = `${place}: expected the path of ${what}, got "${word}"`;
  const file = await explained(locating, ConfigError, (why) => `${expected}, but ${why}`);
  if (file === undefined) return undefined;
  const failed = `${place}: the plugin "${word}" (${file}) could not be loaded`;
  const exported = await explained(importModule(file), ConfigError, (why) => `${failed}: ${why}`);
  const fault = faultOf(exported, parts);
  if (fault === undefined) return rename(exported["default"] as Plugin, word);
  throw new ConfigError(
    `${place}: expected "${word}" to export ${what} by default, an object ${shape}, but ${fault}. Is it a plugin of another kind? (${file})`,
  );
}

function faultOf({ default: plugin, ...others }: Readonly<Record<string, unknown>>, parts: z.ZodType) {
  const names = Object.keys(others);
  if (plugin === undefined) return `it has no default export${names.length === 0 ? "" : `, only ${names.join(", ")}`}`;
  if (!isRecord(plugin)) return `its default export is ${plugin === null ? "null" : `a ${typeof plugin}`}`;
  const [issue] = parts.safeParse(plugin).error?.issues ?? [];
  return issue && `its "${issue.path.join(".")}" ${issue.message}`;
}

/** What stands behind a server that was resolved; none of one that does not balance. */
export function backendsOf(
  { server, options }: ServerChoice,
  servers: ReadonlyMap<string, Pick<Server, "balances">>,
): readonly BackendGroup[] {
  const { balances = false } = servers.get(server) ?? {};
  return balances === false ? [] : ((options["backends"] as readonly BackendGroup[] | undefined) ?? []);
}
