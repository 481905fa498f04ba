import { ConfigError, describeFailure } from "../config/config-error.js";
import type { BackendGroup, Scenario } from "../model/scenario.js";
import type { Server, ServerChoice } from "../plugin.js";

/**
 * Asks the server of every target, and those that are to stand behind it, whether it can be started with its options.
 * Rejects with a {@link ConfigError} that names the target.
 */
export async function checkServers(
  { targets }: Pick<Scenario, "targets">,
  servers: ReadonlyMap<string, Server>,
  folder: string,
): Promise<void> {
  for (const target of targets) {
    try {
      await check(target, servers, folder);
    } catch (error) {
      throw new ConfigError(`target "${target.name}": ${describeFailure(error)}`, { cause: error });
    }
  }
}

async function check(
  { server, options }: ServerChoice,
  servers: ReadonlyMap<string, Server>,
  folder: string,
): Promise<void> {
  const plugin = servers.get(server);
  await plugin?.check?.(options, { folder });
  if (plugin?.balances !== true) return;
  for (const group of options["backends"] as readonly BackendGroup[]) await check(group, servers, folder);
}
