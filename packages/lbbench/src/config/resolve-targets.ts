import type { Target } from "../model/scenario.js";
import type { Server } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { formatPath } from "./format-path.js";
import { listWords, suggest } from "./suggest.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { isTarget, isUrl, unknownTarget } from "./unknown-target.js";
import { validate } from "./validate.js";

type GivenTarget = NonNullable<ParsedSweepInput["targets"]>[number];

/**
 * Makes targets of what was given: a URL, the name of a server, or a server with its options. Throws a
 * {@link ConfigError} for an unknown server, options that it does not accept, or two targets of one name.
 */
export function resolveTargets(given: readonly GivenTarget[], servers: ReadonlyMap<string, Server>): readonly Target[] {
  const targets = given.map((target, index) => resolveTarget(target, `targets[${index}]`, servers));
  const names = new Set<string>();
  for (const { name } of targets) {
    if (names.has(name)) {
      throw new ConfigError(
        `targets: expected a different name for each, got "${name}" twice. Give one of them another name in a config file, or leave it out.`,
      );
    }
    names.add(name);
  }
  return targets;
}

function resolveTarget(given: GivenTarget, place: string, servers: ReadonlyMap<string, Server>): Target {
  const { name, server, options } = typeof given === "string" ? fromText(given, servers) : given;
  const plugin = servers.get(server);
  if (plugin === undefined) {
    throw new ConfigError(
      `${place}.server: expected ${listWords(servers.keys())}, got "${server}".${suggest(server, servers.keys())}`,
    );
  }
  return {
    name,
    server,
    options: validate(
      plugin.options,
      options ?? {},
      (path) => `${place} ("${name}"): ${formatPath(["options", ...path])}`,
    ) as Target["options"],
  };
}

function fromText(text: string, servers: ReadonlyMap<string, Server>): Exclude<GivenTarget, string> {
  if (!isTarget(text, servers.keys())) throw unknownTarget(text, servers.keys());
  if (!isUrl(text)) return { name: text, server: text };
  const url = parseUrl(text);
  return {
    name: url.host + (url.pathname === "/" ? "" : url.pathname) + url.search,
    server: "url",
    options: { url: url.href },
  };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ConfigError(`Expected a URL such as http://127.0.0.1:8080/, got "${text}"`);
  }
}
