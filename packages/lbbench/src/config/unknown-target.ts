import { ConfigError } from "./config-error.js";
import { listWords, suggest } from "./suggest.js";

/** Servers that say nothing without options; as a target they are written in a config file. */
const WITH_OPTIONS = new Set(["url", "command"]);

/** Whether a word is a target by itself: a URL, or a server that needs no options. */
export function isTarget(word: string, servers: Iterable<string>): boolean {
  return isUrl(word) || startable(servers).includes(word);
}

/** Whether a text is meant as a URL that can be measured; it need not be a correct one. */
export function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/**
 * The error for a word that is no target, with a suggestion.
 *
 * @param named names of targets in the config file.
 */
export function unknownTarget(word: string, servers: Iterable<string>, named: readonly string[] = []): ConfigError {
  const names = startable(servers);
  const fromFile =
    named.length === 0 ? "a name from the config file" : `a target of the config file (${listWords(named)})`;
  // What has a port is an address whose scheme was left out.
  const meant = /^[\w.-]+:\d+(\/|$)/.test(word)
    ? ` Did you mean "http://${word}"?`
    : suggest(word, [...named, ...names]);
  return new ConfigError(
    `Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${listWords(names)}) or ${fromFile}, ` +
      `got "${word}".${meant}`,
  );
}

function startable(servers: Iterable<string>): readonly string[] {
  return [...servers].filter((name) => !WITH_OPTIONS.has(name));
}
