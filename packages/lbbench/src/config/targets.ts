import type { BackendGroup, HttpVersion, Target } from "../model/scenario.js";
import type { Protocol, Server, ServerChoice } from "../plugin.js";
import { ConfigError, insist, listWords, refuse, suggest } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { backendsOf, type PluginMap } from "./plugins.js";
import type { GivenTarget } from "./schema.js";
import { formatPath, validate, type NamePlace } from "./validate.js";
import { defined } from "../stats/defined.js";
import { isRecord } from "../stats/plain-data.js";

/** A target that is given, or one that was stored, which knows its place in the grid that made it. */
type ExpandedTarget = GivenTarget & Pick<Target, "gridPlace">;

/**
 * Makes targets of what the user names: a URL, the name of a server, or a server with its options, or with a grid of them. Rejects with
 * a {@link ConfigError} for an unknown server, options that it does not accept, or two targets of one name.
 */
export async function resolveTargets(
  given: readonly (string | ExpandedTarget)[],
  servers: PluginMap<Server>,
): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const [index, target] of given.entries()) {
    const place = `targets[${index}]`;
    const named: ExpandedTarget = typeof target === "string" ? await targetOfWord(target, place, servers) : target;
    for (const { name, server, options = {}, engine, references, gridPlace } of expandGrid(named, place)) {
      const choice = await resolveServer({ server, options }, servers, (path) =>
        path[0] === "server" ? `${place}.server` : `${place} ("${name}"): ${formatPath(path)}`,
      );
      targets.push({ name, ...choice, ...defined({ engine, references, gridPlace }) });
    }
  }
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  refuse(
    twice !== undefined &&
      `targets: expected a different name for each, got "${twice}" twice. Give one of them another name in a config file, or leave it out.`,
  );
  for (const { name, references = [] } of targets) {
    const others = names.filter((other) => other !== name);
    const expected = `${name}: reference: expected the name of another target`;
    for (const reference of references) checkReference(reference, others, expected);
  }
  return targets;
}

/** Throws a {@link ConfigError} that begins with `expected` where a target is to be compared with one that there is not. */
export function checkReference(reference: string, names: readonly string[], expected: string): void {
  const known = names.length === 0 ? "" : `, ${listWords(names)}`;
  insist(names.includes(reference), `${expected}${known}, got "${reference}".${suggest(reference, names)}`);
}

/**
 * Checks the options of a server, and of all that is to stand behind it, and fills in the defaults. Rejects with a
 * {@link ConfigError} for an unknown server, options that it does not accept, or a backend that speaks another protocol than the
 * others, or one that the server in front does not pass on.
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
  const groups = options["backends"] as readonly BackendGroup[] | undefined;
  const { balances = false } = plugin;
  if (balances === false || (balances === "optional" && groups === undefined)) return { server, options };
  insist(
    Array.isArray(groups),
    `${name(["server"])}: the server plugin "${server}" says that it balances, and its options have no list "backends". ` +
      "Have its schema make one, or leave balances out of the plugin.",
  );
  const backends: BackendGroup[] = [];
  for (const [index, group] of groups.entries()) {
    const nameInside: NamePlace = (path) => nameOption(["backends", index, ...path]);
    const resolved = await resolveServer(group, servers, nameInside);
    backends.push({ ...group, ...resolved });
    const protocol = protocolOf(resolved, servers);
    const place = nameInside(["server"]);
    const got = `got "${group.server}", which speaks ${protocol}`;
    const common = protocolOf(backends[0] ?? resolved, servers);
    refuse(
      protocol !== "http" &&
        plugin.protocol === undefined &&
        `${place}: expected a server that speaks http, as "${server}" passes on nothing else, ${got}. ` +
          `Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,
      protocol !== common &&
        `${place}: expected a server that speaks ${common}, as the first backend does, ${got}. ` +
          "Make a target of the backends of each protocol.",
    );
  }
  return { server, options: { ...options, backends } };
}

/** What a server that was resolved speaks; one that balances may speak what its backends do. */
export function protocolOf({ server, options }: ServerChoice, servers: ReadonlyMap<string, Server>): Protocol {
  const plugin = servers.get(server);
  const [first] = backendsOf({ server, options }, servers);
  return plugin?.protocol?.(options, first && protocolOf(first, servers)) ?? "http";
}

/** Throws a {@link ConfigError} that names the targets which are known not to speak a version of HTTP; gRPC is another matter. */
export function checkHttpVersion(
  targets: readonly Target[],
  version: HttpVersion,
  servers: ReadonlyMap<string, Server>,
): void {
  const others = targets.filter(
    (target) => protocolOf(target, servers) === "http" && httpVersionsOf(target, servers)?.includes(version) === false,
  );
  const remedy =
    version === "2"
      ? "Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik."
      : "Use HTTP/2 (--http2).";
  refuse(
    others.length > 0 &&
      `httpVersion (--http2): expected targets that speak HTTP/${version}, got ${others.map(({ name }) => `"${name}"`).join(" and ")}. ${remedy}`,
  );
}

/** `undefined` where the server does not tell. */
function httpVersionsOf(
  choice: ServerChoice,
  servers: ReadonlyMap<string, Server>,
): readonly HttpVersion[] | undefined {
  let common: readonly HttpVersion[] | undefined;
  for (const group of backendsOf(choice, servers)) {
    const versions = httpVersionsOf(group, servers);
    common = common?.filter((version) => versions?.includes(version) ?? true) ?? versions;
  }
  return servers.get(choice.server)?.httpVersions?.(choice.options, common);
}

/** Names of the servers that are a target by themselves; the others say nothing without options. */
export function startableServers(servers: ReadonlyMap<string, Pick<Server, "needsOptions">>): readonly string[] {
  return [...servers].flatMap(([name, { needsOptions = false }]) => (needsOptions ? [] : [name]));
}

/** Whether a text is meant as a URL that can be measured; it need not be a correct one. */
export function isUrl(text: string): boolean {
  return /^(https?|grpcs?|wss?):\/\//i.test(text);
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
    insist(URL.canParse(word), `Expected a URL such as http://127.0.0.1:8080/, got "${word}"`);
    const { href, host, pathname, search } = new URL(word);
    return { name: host + (pathname === "/" ? "" : pathname) + search, server: "url", options: { url: href } };
  }
  const byDefault = DEFAULTS.targets.find(({ name }) => name === word);
  if (byDefault !== undefined) return byDefault;
  const plugin = await servers.load(word, place);
  // A plugin is called by its own name, not by its path.
  if (plugin !== undefined && plugin.needsOptions !== true) return { name: plugin.name, server: word };
  const startable = startableServers(servers);
  const fromFile =
    named.length === 0 ? "a name from the config file" : `a target of the config file (${listWords(named)})`;
  // What has a port, and what names a machine, is an address whose scheme was left out.
  const meant = /^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(word)
    ? ` Did you mean "http://${word}"?`
    : suggest(word, [...named, ...startable, ...DEFAULTS.targets.map(({ name }) => name)]);
  throw new ConfigError(
    `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(startable)}) or ${fromFile}, ` +
      `got "${word}".${meant}`,
  );
}

/** Returns path and query of the URLs that targets answer at, each once; `/` of targets that are no URL. */
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

type Options = NonNullable<GivenTarget["options"]>;

const MOST_TARGETS = 200;

/**
 * Makes one target of every combination of a grid's values, the last option varying fastest, named by them:
 * `pool pool=8 queue=10`; an option with one value is in no name. Throws a {@link ConfigError} for a place that does not exist,
 * or more than 200 combinations.
 *
 * @param place of the target in the configuration.
 */
export function expandGrid({ grid = {}, ...target }: ExpandedTarget, place: string): readonly ExpandedTarget[] {
  const axes = Object.entries(grid);
  const where = `${place} ("${target.name}"): grid:`;
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  insist(count <= MOST_TARGETS, `${where} expected at most ${MOST_TARGETS} combinations, got ${count}`);
  const lastWord = (path: string): string => path.slice(path.lastIndexOf(".") + 1);
  let targets: readonly ExpandedTarget[] = [target];
  for (const [path, values] of axes) {
    const isAlone = axes.every(([other]) => other === path || lastWord(other) !== lastWord(path));
    const option = isAlone ? lastWord(path) : path;
    targets = targets.flatMap((one) =>
      values.map((given) => {
        const options = withValue(one.options ?? {}, path.split("."), given, `${where} ${path}`);
        if (values.length === 1) return { ...one, options };
        const value = format(given);
        const gridPlace = { name: target.name, options: [...(one.gridPlace?.options ?? []), { option, value }] };
        return { ...one, name: `${one.name} ${option}=${value}`, options, gridPlace };
      }),
    );
  }
  return targets;
}

function format(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A copy of `options` with a value at a path; what is missing on the way is an empty object. */
function withValue(options: unknown, [key = "", ...rest]: readonly string[], value: unknown, place: string): Options {
  insist(isRecord(options), `${place}: expected the name of an option, got "${key}" inside ${format(options)}`);
  const isThere = Object.hasOwn(options, key);
  const inner = rest.length === 0 ? value : withValue(isThere ? options[key] : {}, rest, value, place);
  if (!Array.isArray(options)) return { ...options, [key]: inner };
  insist(isThere, `${place}: expected a number below ${options.length} for a place in the list, got "${key}"`);
  return options.with(Number(key), inner) as unknown as Options;
}
