import { mergeSources, type InputSources } from "../config/merge-sources.js";
import { pluginMap, SERVER_KIND } from "../config/plugins.js";
import type { ParsedSweepInput } from "../config/sweep-input.js";
import { builtInServers } from "../servers/built-in-servers.js";

/**
 * Puts what the command line says over what the config file says, as every command of `lbbench` does. `-n` there takes the place of a
 * duration in the file, and the other way round, and so does `-r` that of connections; of the request, each part and each header is
 * overridden by itself. Targets named on the command line take the place of all that are in the file: they are names of those,
 * of built-in servers, URLs, or plugins by the path from `folder` or the package.
 *
 * Rejects with a `ConfigError` for a target that is neither in the file nor one by itself.
 *
 * @param folder where the paths in the config file begin; the working folder by default.
 */
export async function mergeInput(sources: InputSources, folder = "."): Promise<ParsedSweepInput> {
  return mergeSources(sources, pluginMap(SERVER_KIND, builtInServers, folder));
}
