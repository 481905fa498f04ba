import type { BackendGroup, Target, TargetEngine } from "../model/scenario.js";
import type { Server, ServerChoice } from "../plugin.js";
import { ConfigError, formatPath, listWords, suggest, suggestPlugin } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { expandGrid } from "./grid.js";
import { isModulePath } from "./modules.js";
import { isUrl } from "./plugins.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { validate, type NamePlace } from "./validate.js";

type GivenTarget = NonNullable<ParsedSweepInput["targets"]>[number];

type NamedTarget = Omit<Exclude<GivenTarget, string>, "grid">;

type Servers = ReadonlyMap<string, Server>;

/**
 * Makes targets of what was given: a URL, the name of a server, or a server with its options, or with a grid of them. Throws
 * a {@link ConfigError} for an unknown server, options that it does not accept, or two targets of one name.
 */
export function resolveTargets(given: readonly GivenTarget[], servers: Servers): readonly Target[] {
  const targets = given.flatMap((target, index) => {
    const place = `targets[${index}]`;
    return expandGrid(typeof target === "string" ? targetOfWord(target, servers) : target, place).map((one) =>
      resolveTarget(one, place, servers),
    );
  });
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new ConfigError(
      `targets: expected a different name for each, got "${twice}" twice. Give one of them another name in a config file, or leave it out.`,
    );
  }
  for (const { name, references = [] } of targets) {
    const others = names.filter((other) => other !== name);
    const wrong = references.find((reference) => !others.includes(reference));
    if (wrong === undefined) continue;
    const known = others.length === 0 ? "" : `, ${listWords(others)}`;
    throw new ConfigError(
      `${name}: reference: expected the name of another target${known}, got "${wrong}".${suggest(wrong, others)}`,
    );
  }
  return targets;
}

function resolveTarget(given: NamedTarget, place: string, servers: Servers): Target {
  const { name, server, options = {}, engine, reference } = given;
  const resolved = resolveServer({ server, options }, servers, (path) =>
    path[0] === "server" ? `${place}.server` : `${place} ("${name}"): ${formatPath(path)}`,
  );
  return {
    name,
    ...resolved,
    ...(engine === undefined ? {} : { engine: toEngine(engine) }),
    ...(reference === undefined ? {} : { references: [...new Set([reference].flat())] }),
  };
}

function toEngine(given: NonNullable<NamedTarget["engine"]>): TargetEngine {
  return typeof given === "string" ? { name: given, options: {} } : { name: given.name, options: given.options ?? {} };
}

/**
 * Checks the options of a server, and of all that is to stand behind it, and fills in the defaults. Throws a
 * {@link ConfigError} for an unknown server, options that it does not accept, or a backend that does not speak HTTP.
 *
 * @param name names a place in the configuration, counted from where the server is written.
 */
export function resolveServer(choice: ServerChoice, servers: Servers, name: NamePlace): ServerChoice {
  const { server } = choice;
  const plugin = servers.get(server);
  if (plugin === undefined) {
    throw new ConfigError(
      `${name(["server"])}: expected ${listWords(servers.keys())}, got "${server}".${suggestPlugin(server, servers.keys())}`,
    );
  }
  const options = validate(plugin.options, choice.options, (path) =>
    name(["options", ...path]),
  ) as ServerChoice["options"];
  if (plugin.balances !== true) return { server, options };
  const groups = options["backends"] as readonly BackendGroup[] | undefined;
  if (!Array.isArray(groups)) {
    throw new ConfigError(
      `${name(["server"])}: the server plugin "${server}" says that it balances, and its options have no list "backends". ` +
        "Have its schema accept one, with a default where it may be left out, or leave balances out of the plugin.",
    );
  }
  const backends = groups.map((group: BackendGroup, index): BackendGroup => {
    const nameInside: NamePlace = (path) => name(["options", "backends", index, ...path]);
    const resolved: BackendGroup = { ...group, ...resolveServer(group, servers, nameInside) };
    const protocol = servers.get(group.server)?.protocol?.(resolved.options) ?? "http";
    if (protocol === "http") return resolved;
    throw new ConfigError(
      `${nameInside(["server"])}: expected a server that speaks http, got "${group.server}", which speaks ${protocol}`,
    );
  });
  return { server, options: { ...options, backends } };
}

/** Names of the servers that are a target by themselves; the others say nothing without options. */
export function startableServers(servers: ReadonlyMap<string, Pick<Server, "needsOptions">>): readonly string[] {
  return [...servers].flatMap(([name, { needsOptions = false }]) => (needsOptions ? [] : [name]));
}

/**
 * Throws a {@link ConfigError} with a suggestion where a word is no target by itself: no URL, no path of a plugin, no server
 * that needs no options, and no target of the default sweep.
 *
 * @param startable names of these servers.
 * @param named names of targets in the config file.
 */
export function checkTargetWord(word: string, startable: readonly string[], named: readonly string[] = []): void {
  const byDefault = DEFAULTS.targets.map(({ name }) => name);
  if (isUrl(word) || isModulePath(word) || [...startable, ...byDefault].includes(word)) return;
  const fromFile =
    named.length === 0 ? "a name from the config file" : `a target of the config file (${listWords(named)})`;
  // What has a port is an address whose scheme was left out.
  const meant = /^[\w.-]+:\d+(\/|$)/.test(word)
    ? ` Did you mean "http://${word}"?`
    : suggest(word, [...named, ...startable, ...byDefault]);
  throw new ConfigError(
    `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(startable)}) or ${fromFile}, ` +
      `got "${word}".${meant}`,
  );
}

function targetOfWord(word: string, servers: Servers): NamedTarget {
  checkTargetWord(word, startableServers(servers));
  // A plugin is called by its own name, whatever its path.
  const byDefault = DEFAULTS.targets.find(({ name }) => name === word);
  if (!isUrl(word)) return byDefault ?? { name: servers.get(word)?.name ?? word, server: word };
  if (!URL.canParse(word)) throw new ConfigError(`Expected a URL such as http://127.0.0.1:8080/, got "${word}"`);
  const url = new URL(word);
  return { name: nameOfUrl(url), server: "url", options: { url: url.href } };
}

/** What a target is called that is a URL: its host with its path and query, `127.0.0.1:8080` or `shop.test/cart?id=1`. */
export function nameOfUrl({ host, pathname, search }: URL): string {
  return host + (pathname === "/" ? "" : pathname) + search;
}

/** Servers whose option `url` says where they answer, path and query included. */
const SERVERS_AT_URL: ReadonlySet<string> = new Set(["url", "command"]);

/** Returns path and query of the URLs that targets answer at, each once; `/` of those that are no URL. */
export function targetPaths(targets: readonly Pick<Target, "server" | "options">[]): readonly string[] {
  const paths = targets.map(({ server, options }) => {
    const url = SERVERS_AT_URL.has(server) ? options["url"] : undefined;
    // The port of a command is not known yet.
    const text = typeof url === "string" ? url.replaceAll("{port}", "1") : "";
    if (!URL.canParse(text)) return "/";
    const { pathname, search } = new URL(text);
    return pathname + search;
  });
  return [...new Set(paths)];
}
