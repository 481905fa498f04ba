import { ConfigError, explained } from "../config/config-error.js";
import { backendsOf, ENGINE_KIND, pluginMap, REPORTER_KIND, SERVER_KIND, type Plugins } from "../config/plugins.js";
import { builtInEngines } from "../engines/built-in-engines.js";
import type { Scenario } from "../model/scenario.js";
import type { Engine, Reporter, Server, ServerChoice } from "../plugin.js";
import { REPORTERS } from "../report/reporters.js";
import { builtInServers } from "../servers/built-in-servers.js";

/** Plugins that a program hands over; one of the same name as a built-in one takes its place. */
export interface GivenPlugins {
  readonly servers?: readonly Server[];
  readonly engines?: readonly Engine[];
  readonly reporters?: readonly Reporter[];
}

/** The built-in plugins, the given ones, and those named by a path from `folder` or as an installed package. */
export function knownPlugins(given: GivenPlugins = {}, folder = "."): Plugins {
  const { servers = [], engines = [], reporters = [] } = given;
  const named = <Plugin extends { readonly name: string }>(one: Plugin) => [one.name, one] as const;
  return {
    servers: pluginMap(SERVER_KIND, [...builtInServers, ...servers.map(named)], folder),
    engines: pluginMap(ENGINE_KIND, [...builtInEngines, ...engines.map(named)], folder),
    reporters: pluginMap(REPORTER_KIND, [...REPORTERS, ...reporters.map((one) => [one.format, one] as const)], folder),
  };
}

/**
 * Asks every server of a scenario whether it can be started with its options, and every engine whether it can do what it is asked
 * to. Rejects with a {@link ConfigError} that names the target or the engine, and with a `StartError` where an engine cannot be started.
 */
export async function checkPlugins(scenario: Scenario, { servers, engines }: Plugins, folder: string): Promise<void> {
  await checkServers(scenario, servers, folder);
  for (const { name, options } of [scenario.engine, ...scenario.targets.flatMap(({ engine }) => engine ?? [])]) {
    try {
      await engines.get(name)?.check?.({ ...scenario, options }, { folder });
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "START_FAILED") throw error;
      throw new ConfigError(`engine ${name}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
}

/** The servers of {@link checkPlugins} alone. */
export async function checkServers(
  { targets }: Pick<Scenario, "targets">,
  servers: Plugins["servers"],
  folder: string,
): Promise<void> {
  const check = async ({ server, options }: ServerChoice): Promise<void> => {
    await servers.get(server)?.check?.(options, { folder });
    for (const group of backendsOf({ server, options }, servers)) await check(group);
  };
  for (const target of targets) {
    await explained(check(target), ConfigError, (why) => `target "${target.name}": ${why}`);
  }
}
