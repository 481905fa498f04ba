import type { BackendGroup, Scenario } from "../model/scenario.js";
import type { Engine, Reporter, Server } from "../plugin.js";
import { ConfigError, describeFailure } from "./config-error.js";
import { expandGrid, type GridTarget } from "./grid.js";
import { describeMissingModule, importModule, isModulePath, locateModule } from "./modules.js";

/** Plugins by name. */
export interface Plugins {
  readonly servers: ReadonlyMap<string, Server>;
  readonly engines: ReadonlyMap<string, Engine>;
}

/** A kind of plugins: what a module of it has to export, and how the plugin is called by the word that asked for it. */
export interface PluginKind<Plugin> {
  /** With its article: `a server`. */
  readonly what: string;
  /** What its parts have to be; a `?` marks one that may be missing. */
  readonly parts: Readonly<Record<string, keyof typeof PARTS>>;
  readonly rename: (plugin: Plugin, word: string) => Plugin;
}

/** What a part of a plugin can have to be, and what is said of one that is not. */
const PARTS = {
  text: ["is no text", (part: unknown) => typeof part === "string" && part.trim() !== ""],
  function: ["is no function", (part: unknown) => typeof part === "function"],
  list: ["is no list", Array.isArray],
  schema: ["are no schema of zod 4", (part: unknown) => isRecord(part) && "_zod" in part && "safeParse" in part],
} as const satisfies Record<string, readonly [fault: string, isMet: (part: unknown) => boolean]>;

/** Of {@link Server}. It keeps its name, which its target has where it has no other. */
export const SERVER_KIND: PluginKind<Server> = {
  what: "a server",
  parts: { name: "text", options: "schema", start: "function", "check?": "function", "protocol?": "function" },
  rename: (server) => server,
};

/** Of {@link Engine}. Nothing is loaded by it unless it is asked for by name. */
export const ENGINE_KIND: PluginKind<Engine> = {
  what: "an engine",
  parts: {
    name: "text",
    "supports.protocols": "list",
    "supports.loads": "list",
    "options?": "schema",
    run: "function",
    "check?": "function",
  },
  rename: (engine, word) => ({
    name: word,
    supports: { ...engine.supports, automatic: false },
    ...(engine.options === undefined ? {} : { options: engine.options }),
    ...(engine.check === undefined ? {} : { check: engine.check.bind(engine) }),
    run: engine.run.bind(engine),
  }),
};

/** Of {@link Reporter}. */
export const REPORTER_KIND: PluginKind<Reporter> = {
  what: "a reporter",
  parts: { format: "text", render: "function" },
  rename: (reporter, word) => ({ format: word, render: reporter.render.bind(reporter) }),
};

/** A word that asks for a plugin, and where it stands: `targets[0].server`. */
export interface PluginWord {
  readonly word: string;
  readonly place: string;
}

/**
 * Adds the plugins to those that are known that words name: the default export of a module, given by its path from `folder` or as
 * an installed package. A word that is neither is left out: whoever looks it up says what there is. Rejects with a
 * {@link ConfigError} for a path where there is no file, a module that cannot be loaded, and one that exports something else.
 */
export async function addNamedPlugins<Plugin>(
  known: ReadonlyMap<string, Plugin>,
  words: readonly PluginWord[],
  kind: PluginKind<Plugin>,
  folder: string,
): Promise<ReadonlyMap<string, Plugin>> {
  const all = new Map(known);
  for (const word of words) {
    const plugin = all.get(word.word) ?? (await loadPlugin(word, kind, folder));
    if (plugin !== undefined) all.set(word.word, plugin);
  }
  return all;
}

async function loadPlugin<Plugin>(
  { word, place }: PluginWord,
  kind: PluginKind<Plugin>,
  folder: string,
): Promise<Plugin | undefined> {
  const file = await locateModule(word, folder);
  if (file === undefined) {
    if (!isModulePath(word)) return undefined;
    throw new ConfigError(
      `${place}: expected the path of ${kind.what}, got "${word}", but ${describeMissingModule(word, folder)}`,
    );
  }
  const exported = await importModule(file).catch((error: unknown) => {
    throw new ConfigError(`${place}: the plugin "${word}" (${file}) could not be loaded: ${describeFailure(error)}`, {
      cause: error,
    });
  });
  const fault = faultOf(exported, kind.parts);
  if (fault === undefined) return kind.rename(exported["default"] as Plugin, word);
  const names = Object.keys(kind.parts).filter((name) => !name.endsWith("?"));
  const shape = [...new Set(names.map((name) => name.replace(/\..*/, "")))].join(", ");
  throw new ConfigError(
    `${place}: expected "${word}" to export ${kind.what} by default, an object { ${shape} }, but ${fault}. Is it a plugin of another kind? (${file})`,
  );
}

function faultOf(exported: Readonly<Record<string, unknown>>, parts: PluginKind<never>["parts"]): string | undefined {
  const plugin = exported["default"];
  if (plugin === undefined) {
    const others = Object.keys(exported).filter((name) => name !== "default");
    return `it has no default export${others.length === 0 ? "" : `, only ${others.join(", ")}`}`;
  }
  if (!isRecord(plugin)) return `its default export is ${plugin === null ? "null" : `a ${typeof plugin}`}`;
  for (const [name, kind] of Object.entries(parts)) {
    const path = name.replace("?", "");
    const part = path.split(".").reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), plugin);
    const [fault, isMet] = PARTS[kind];
    if (!isMet(part) && !(name.endsWith("?") && part === undefined)) return `its "${path}" ${fault}`;
  }
  return undefined;
}

/**
 * What the plugins call themselves that words name by their path or package, by these words. A word that names none, or one that
 * cannot be loaded, is left out: whoever loads it says why.
 */
export async function namePlugins(words: readonly string[], folder: string): Promise<ReadonlyMap<string, string>> {
  const named = new Map<string, string>();
  for (const word of words) {
    const file = await locateModule(word, folder);
    const module = file === undefined ? {} : await importModule(file).catch(() => ({ default: undefined }));
    const plugin = module["default"];
    if (isRecord(plugin) && typeof plugin["name"] === "string") named.set(word, plugin["name"]);
  }
  return named;
}

/** The words of a run that name plugins, built-in or not, by kind. */
export interface PluginWords {
  readonly servers: readonly PluginWord[];
  readonly engines: readonly PluginWord[];
}

/** Whether a text is meant as a URL that can be measured; it need not be a correct one. */
export function isUrl(text: string): boolean {
  return /^(https?|grpcs?):\/\//i.test(text);
}

/** The words that an input names plugins with. Options are searched as they were given, unchecked. */
export function wordsOfInput(input: NamingInput): PluginWords {
  return wordsOf(input, "", "engine (--engine)");
}

/** The words that a resolved scenario names plugins with. */
export function wordsOfScenario({ targets, engine }: Pick<Scenario, "targets" | "engine">): PluginWords {
  return wordsOf({ targets, engine: engine.name }, "scenario.", "scenario.engine");
}

/** What of an input, or of a scenario, may name plugins. */
interface NamingInput {
  readonly targets?: readonly (string | NamedTarget)[] | undefined;
  readonly engine?: string | undefined;
  readonly engines?: Readonly<Record<string, unknown>> | undefined;
}

type NamedTarget = GridTarget & NamedServer & { readonly engine?: string | { readonly name: string } | undefined };

function wordsOf({ targets = [], engine, engines = {} }: NamingInput, at: string, engineAt: string): PluginWords {
  return {
    servers: targets.flatMap((target, index) => {
      const place = `${at}targets[${index}]`;
      if (typeof target === "string") return isUrl(target) ? [] : [{ word: target, place }];
      return expandGrid(target, place).flatMap((one) => serverWords(one, place));
    }),
    engines: [
      ...(engine === undefined ? [] : [{ word: engine, place: engineAt }]),
      ...targets.flatMap((target, index) => {
        if (typeof target === "string" || target.engine === undefined) return [];
        const word = typeof target.engine === "string" ? target.engine : target.engine.name;
        return [{ word, place: `${at}targets[${index}].engine` }];
      }),
      ...Object.keys(engines).map((word) => ({ word, place: "engines" })),
    ],
  };
}

/** What has options in which servers may be named. */
type NamedServer = Pick<BackendGroup, "server"> & { readonly options?: BackendGroup["options"] | undefined };

/** The words of a server and of all that is to stand behind it. */
export function serverWords({ server, options = {} }: NamedServer, place?: string): readonly PluginWord[] {
  const { backends } = options;
  const inside = (name: string): string => (place === undefined ? name : `${place}.${name}`);
  const groups: readonly unknown[] = Array.isArray(backends) ? backends : [];
  return [
    { word: server, place: inside("server") },
    ...groups.flatMap((group, index) => {
      const inner = inside(`options.backends[${index}]`);
      if (typeof group === "string") return isUrl(group) ? [] : [{ word: group, place: inner }];
      return isRecord(group) && typeof group["server"] === "string" ? serverWords(group as NamedServer, inner) : [];
    }),
  ];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
