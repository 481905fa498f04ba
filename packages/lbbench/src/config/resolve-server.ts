import type { BackendGroup } from "../model/scenario.js";
import type { Server, ServerChoice } from "../plugin.js";
import { ConfigError } from "./config-error.js";
import { listWords, suggestPlugin } from "./suggest.js";
import { validate, type NamePlace } from "./validate.js";

/**
 * Checks the options of a server, and of all that is to stand behind it, and fills in the defaults. Throws a
 * {@link ConfigError} for an unknown server, options that it does not accept, or a backend that does not speak HTTP.
 *
 * @param name names a place in the configuration, counted from where the server is written.
 */
export function resolveServer(
  given: ServerChoice,
  servers: ReadonlyMap<string, Server>,
  name: NamePlace,
): ServerChoice {
  const { server } = given;
  const plugin = servers.get(server);
  if (plugin === undefined) {
    throw new ConfigError(
      `${name(["server"])}: expected ${listWords(servers.keys())}, got "${server}".${suggestPlugin(server, servers.keys())}`,
    );
  }
  const options = validate(plugin.options, given.options, (path) =>
    name(["options", ...path]),
  ) as ServerChoice["options"];
  if (plugin.balances !== true) return { server, options };
  const { backends: groups } = options as { readonly backends?: readonly BackendGroup[] };
  if (!Array.isArray(groups)) {
    throw new ConfigError(
      `${name(["server"])}: the server plugin "${server}" says that it balances, and its options have no list "backends". ` +
        "Have its schema accept one, with a default where it may be left out, or leave balances out of the plugin.",
    );
  }
  const backends = groups.map((group, index) =>
    resolveBackend(group, servers, (path) => name(["options", "backends", index, ...path])),
  );
  return { server, options: { ...options, backends } };
}

function resolveBackend(group: BackendGroup, servers: ReadonlyMap<string, Server>, name: NamePlace): BackendGroup {
  const resolved = { ...group, ...resolveServer(group, servers, name) };
  const protocol = servers.get(group.server)?.protocol?.(resolved.options) ?? "http";
  if (protocol === "http") return resolved;
  throw new ConfigError(
    `${name(["server"])}: expected a server that speaks http, got "${group.server}", which speaks ${protocol}`,
  );
}
