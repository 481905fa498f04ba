import type { Server } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { DEFAULTS } from "./defaults.js";
import { isModulePath } from "./locate-plugin.js";
import { listWords, suggest } from "./suggest.js";

/** Names of the servers that are a target by themselves; the others say nothing without options. */
export function startableServers(servers: ReadonlyMap<string, Pick<Server, "needsOptions">>): readonly string[] {
  return [...servers].flatMap(([name, { needsOptions = false }]) => (needsOptions ? [] : [name]));
}

/** The target of the default sweep that has this name, if there is one. */
export function defaultTarget(name: string): (typeof DEFAULTS.targets)[number] | undefined {
  return DEFAULTS.targets.find((target) => target.name === name);
}

/**
 * Whether a word is a target by itself: a URL, the path of a plugin, a server that needs no options, or a target of the
 * default sweep.
 *
 * @param startable names of these servers.
 */
export function isTarget(word: string, startable: readonly string[]): boolean {
  return isUrl(word) || isModulePath(word) || startable.includes(word) || defaultTarget(word) !== undefined;
}

/** Whether a text is meant as a URL that can be measured; it need not be a correct one. */
export function isUrl(text: string): boolean {
  return /^(https?|grpcs?):\/\//i.test(text);
}

/**
 * The error for a word that is no target, with a suggestion.
 *
 * @param names of the servers that are a target by themselves.
 * @param named names of targets in the config file.
 */
export function unknownTarget(word: string, names: readonly string[], named: readonly string[] = []): ConfigError {
  const fromFile =
    named.length === 0 ? "a name from the config file" : `a target of the config file (${listWords(named)})`;
  // What has a port is an address whose scheme was left out.
  const meant = /^[\w.-]+:\d+(\/|$)/.test(word)
    ? ` Did you mean "http://${word}"?`
    : suggest(word, [...named, ...names, ...DEFAULTS.targets.map(({ name }) => name)]);
  return new ConfigError(
    `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(names)}) or ${fromFile}, ` +
      `got "${word}".${meant}`,
  );
}
