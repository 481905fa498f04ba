import type { Target, TargetEngine } from "../model/scenario.js";
import type { Server } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { expandGrid } from "./expand-grid.js";
import { formatPath } from "./format-path.js";
import { nameOfUrl } from "./name-of-url.js";
import { resolveServer } from "./resolve-server.js";
import { listWords, suggest } from "./suggest.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { defaultTarget, isTarget, isUrl, startableServers, unknownTarget } from "./unknown-target.js";

type GivenTarget = NonNullable<ParsedSweepInput["targets"]>[number];

/**
 * Makes targets of what was given: a URL, the name of a server, or a server with its options, or with a grid of them. Throws
 * a {@link ConfigError} for an unknown server, options that it does not accept, or two targets of one name.
 */
export function resolveTargets(given: readonly GivenTarget[], servers: ReadonlyMap<string, Server>): readonly Target[] {
  const targets = given.flatMap((target, index) => {
    const place = `targets[${index}]`;
    return expandGrid(typeof target === "string" ? fromText(target, servers) : target, place).map((one) =>
      resolveTarget(one, place, servers),
    );
  });
  const names = new Set<string>();
  for (const { name } of targets) {
    if (names.has(name)) {
      throw new ConfigError(
        `targets: expected a different name for each, got "${name}" twice. Give one of them another name in a config file, or leave it out.`,
      );
    }
    names.add(name);
  }
  for (const target of targets) checkReferences(target, [...names]);
  return targets;
}

function checkReferences({ name, references = [] }: Target, names: readonly string[]): void {
  const others = names.filter((other) => other !== name);
  const wrong = references.find((reference) => !others.includes(reference));
  if (wrong === undefined) return;
  throw new ConfigError(
    `${name}: reference: expected the name of another target${others.length === 0 ? "" : `, ${listWords(others)}`}, got "${wrong}".${suggest(wrong, others)}`,
  );
}

type NamedTarget = Omit<Exclude<GivenTarget, string>, "grid">;

function resolveTarget(given: NamedTarget, place: string, servers: ReadonlyMap<string, Server>): Target {
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

function fromText(text: string, servers: ReadonlyMap<string, Server>): NamedTarget {
  const startable = startableServers(servers);
  if (!isTarget(text, startable)) throw unknownTarget(text, startable);
  // A plugin is called by its own name, whatever its path.
  if (!isUrl(text)) return defaultTarget(text) ?? { name: servers.get(text)?.name ?? text, server: text };
  const url = parseUrl(text);
  return {
    name: nameOfUrl(url),
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
