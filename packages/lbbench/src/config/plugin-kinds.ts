import type { Engine, Reporter, Server } from "../plugin.js";

/** A kind of plugins: what a module of it has to export, and how the plugin is called by the name that it was asked for with. */
export interface PluginKind<Plugin> {
  /** With its article: `a server`. */
  readonly what: string;
  /** Its parts, as a message lists them. */
  readonly shape: string;
  /** Says of an object what is not as it has to be: `its "start" is no function`; `undefined` where all is well. */
  readonly fault: (plugin: Readonly<Record<string, unknown>>) => string | undefined;
  /** The plugin under the word that asks for it. */
  readonly rename: (plugin: Plugin, word: string) => Plugin;
}

/** Of {@link Server}. It keeps its name, which its target has where it has no other. */
export const SERVER_KIND: PluginKind<Server> = {
  what: "a server",
  shape: "{ name, options, start }",
  fault: (server) =>
    expectName(server, "name") ??
    expectSchema(server) ??
    expectFunction(server, "start") ??
    expectFunction(server, "check", true) ??
    expectFunction(server, "protocol", true),
  rename: (server) => server,
};

/** Of {@link Engine}. Nothing is loaded by it unless it is asked for by name. */
export const ENGINE_KIND: PluginKind<Engine> = {
  what: "an engine",
  shape: "{ name, supports, run }",
  fault: (engine) =>
    expectName(engine, "name") ??
    expectSupport(engine["supports"]) ??
    expectSchema(engine, true) ??
    expectFunction(engine, "run") ??
    expectFunction(engine, "check", true),
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
  shape: "{ format, render }",
  fault: (reporter) => expectName(reporter, "format") ?? expectFunction(reporter, "render"),
  rename: (reporter, word) => ({ format: word, render: reporter.render.bind(reporter) }),
};

type Parts = Readonly<Record<string, unknown>>;

function expectName(plugin: Parts, key: string): string | undefined {
  const name = plugin[key];
  return typeof name === "string" && name.trim() !== "" ? undefined : `its "${key}" is no text`;
}

function expectFunction(plugin: Parts, key: string, optional = false): string | undefined {
  if (optional && plugin[key] === undefined) return undefined;
  return typeof plugin[key] === "function" ? undefined : `its "${key}" is no function`;
}

function expectSchema({ options }: Parts, optional = false): string | undefined {
  if (optional && options === undefined) return undefined;
  const isSchema =
    typeof options === "object" &&
    options !== null &&
    "_zod" in options &&
    "safeParse" in options &&
    typeof options.safeParse === "function";
  return isSchema ? undefined : 'its "options" are no schema of zod 4';
}

function expectSupport(supports: unknown): string | undefined {
  const told: Parts = typeof supports === "object" && supports !== null ? { ...supports } : {};
  const missing = ["protocols", "loads"].find((key) => !Array.isArray(told[key]));
  return missing === undefined ? undefined : `its "supports.${missing}" is no list`;
}
