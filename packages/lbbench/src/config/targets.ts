import type { BackendGroup, Target } from "../model/scenario.js";
import type { Server, ServerChoice } from "../plugin.js";
import { ConfigError, listWords, suggest } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { expandGrid } from "./grid.js";
import type { PluginMap } from "./plugins.js";
import type { GivenTarget } from "./sweep-input.js";
import { formatPath, validate, type NamePlace } from "./validate.js";

/**
 * Makes targets of what was given: a URL, the name of a server, or a server with its options, or with a grid of them. Rejects with
 * a {@link ConfigError} for an unknown server, options that it does not accept, or two targets of one name.
 */
export async function resolveTargets(
  given: readonly (string | GivenTarget)[],
  servers: PluginMap<Server>,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const [index, target] of given.entries()) {
    const place = `targets[${index}]`;
    const named = typeof target === "string" ? await targetOfWord(target, place, servers) : target;
    for (const { name, server, options = {}, engine, references } of expandGrid(named, place)) {
      const choice = await resolveServer({ server, options }, servers, (path) =>
        path[0] === "server" ? `${place}.server` : `${place} ("${name}"): ${formatPath(path)}`,
      );
      targets.push({ name, ...choice, ...(engine && { engine }), ...(references && { references }) });
    }
  }
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new ConfigError(
      `targets: expected a different name for each, got "${twice}" twice. Give one of them another name in a config file, or leave it out.`,
    );
  }
  for (const { name, references = [] } of targets) {
    const others = names.filter((other) => other !== name);
    const expected = `${name}: reference: expected the name of another target`;
    for (const reference of references) checkReference(reference, others, expected);
  }
  return targets;
}

/** Throws a {@link ConfigError} that begins with `expected` where a target is to be compared with one that there is not. */
export function checkReference(reference: string, names: readonly string[], expected: string): void {
  if (names.includes(reference)) return;
  const known = names.length === 0 ? "" : `, ${listWords(names)}`;
  throw new ConfigError(`${expected}${known}, got "${reference}".${suggest(reference, names)}`);
}

/**
 * Checks the options of a server, and of all that is to stand behind it, and fills in the defaults. Rejects with a
 * {@link ConfigError} for an unknown server, options that it does not accept, or a backend that does not speak HTTP.
 *
 * @param name names a place in the configuration, counted from where the server is written.
 */
export async function resolveServer(
  { server, options: given }: ServerChoice,
  servers: PluginMap<Server>,
  name: NamePlace,
): Promise<ServerChoice> {
  const plugin = await servers.find(server, name(["server"]));
  const nameOption: NamePlace = (path) => name(["options", ...path]);
  const options = validate(plugin.options, given, nameOption) as ServerChoice["options"];
  if (plugin.balances !== true) return { server, options };
  const groups = options["backends"] as readonly BackendGroup[] | undefined;
  if (!Array.isArray(groups)) {
    throw new ConfigError(
      `${name(["server"])}: the server plugin "${server}" says that it balances, and its options have no list "backends". ` +
        "Have its schema make one, or leave balances out of the plugin.",
    );
  }
  const backends: BackendGroup[] = [];
  for (const [index, group] of groups.entries()) {
    const nameInside: NamePlace = (path) => nameOption(["backends", index, ...path]);
    const resolved = await resolveServer(group, servers, nameInside);
    const protocol = servers.get(group.server)?.protocol?.(resolved.options) ?? "http";
    if (protocol !== "http") {
      throw new ConfigError(
        `${nameInside(["server"])}: expected a server that speaks http, got "${group.server}", which speaks ${protocol}`,
      );
    }
    backends.push({ ...group, ...resolved });
  }
  return { server, options: { ...options, backends } };
}

/** Names of the servers that are a target by themselves; the others say nothing without options. */
export function startableServers(servers: ReadonlyMap<string, Pick<Server, "needsOptions">>): readonly string[] {
  return [...servers].flatMap(([name, { needsOptions = false }]) => (needsOptions ? [] : [name]));
}

/** Whether a text is meant as a URL that can be measured; it need not be a correct one. */
export function isUrl(text: string): boolean {
  return /^(https?|grpcs?):\/\//i.test(text);
}

/**
 * The target that a word is by itself: a URL, a server that needs no options, or one of the default sweep. Rejects with a
 * {@link ConfigError} for any other word, and suggests another one, which may be that of a target in the config file (`named`).
 */
export async function targetOfWord(
  word: string,
  place: string,
  servers: PluginMap<Server>,
  named: readonly string[] = [],
): Promise<GivenTarget> {
  if (isUrl(word)) {
    if (!URL.canParse(word)) throw new ConfigError(`Expected a URL such as http://127.0.0.1:8080/, got "${word}"`);
    const { href, host, pathname, search } = new URL(word);
    return { name: host + (pathname === "/" ? "" : pathname) + search, server: "url", options: { url: href } };
  }
  const byDefault = DEFAULTS.targets.find(({ name }) => name === word);
  if (byDefault !== undefined) return byDefault;
  const plugin = await servers.load(word, place);
  // A plugin is called by its own name, whatever its path.
  if (plugin !== undefined && plugin.needsOptions !== true) return { name: plugin.name, server: word };
  const startable = startableServers(servers);
  const fromFile =
    named.length === 0 ? "a name from the config file" : `a target of the config file (${listWords(named)})`;
  // What has a port is an address whose scheme was left out.
  const meant = /^[\w.-]+:\d+(\/|$)/.test(word)
    ? ` Did you mean "http://${word}"?`
    : suggest(word, [...named, ...startable, ...DEFAULTS.targets.map(({ name }) => name)]);
  throw new ConfigError(
    `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(startable)}) or ${fromFile}, ` +
      `got "${word}".${meant}`,
  );
}

/** Returns path and query of the URLs that targets answer at, each once; `/` of those that are no URL. */
export function targetPaths(targets: readonly Pick<Target, "server" | "options">[]): readonly string[] {
  const paths = targets.map(({ server, options }) => {
    const url = server === "url" || server === "command" ? options["url"] : undefined;
    // The port of a command is not known yet.
    const text = typeof url === "string" ? url.replaceAll("{port}", "1") : "";
    if (!URL.canParse(text)) return "/";
    const { pathname, search } = new URL(text);
    return pathname + search;
  });
  return [...new Set(paths)];
}
