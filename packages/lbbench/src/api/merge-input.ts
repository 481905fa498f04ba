import { locateModule } from "../config/modules.js";
import { mergeSources, type InputSources } from "../config/merge-sources.js";
import { isUrl, namePlugins } from "../config/plugins.js";
import type { ParsedSweepInput } from "../config/sweep-input.js";
import { startableServers } from "../config/targets.js";
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
  return mergeSources(
    sources,
    await findServers(sources.targets, folder),
    await namePlugins(ownPlugins(sources), folder),
  );
}

/** What targets are written as that may be plugins; none where the names of targets do not matter. */
function ownPlugins({ file, targets }: InputSources): readonly string[] {
  if (targets.length === 0) return [];
  const words = [...targets, ...(file.targets ?? [])].filter((target) => typeof target === "string");
  return [...new Set(words)].filter((word) => !isUrl(word) && !builtInServers.has(word));
}

/** Names of the servers that are a target by themselves: built-in ones, and those of `words` that are an installed package. */
async function findServers(words: readonly string[], folder: string): Promise<readonly string[]> {
  const builtIn = startableServers(builtInServers);
  const others = words.filter((word) => !builtIn.includes(word));
  const files = await Promise.all(others.map((word) => locateModule(word, folder)));
  return [...builtIn, ...others.filter((_, index) => files[index] !== undefined)];
}
