import type { BackendGroup, Scenario } from "../model/scenario.js";
import { expandGrid } from "./expand-grid.js";
import type { PluginWord } from "./load-plugin.js";
import type { ParsedSweepInput } from "./sweep-input.js";
import { isUrl } from "./unknown-target.js";

/** The words of a run that name plugins, built-in or not, by kind. */
export interface PluginWords {
  readonly servers: readonly PluginWord[];
  readonly engines: readonly PluginWord[];
}

/** What has options in which servers may be named. */
interface NamedServer {
  readonly server: string;
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

/** The words that an input names plugins with. Options are searched as they were given, unchecked. */
export function wordsOfInput({ targets = [], engine, engines = {} }: ParsedSweepInput): PluginWords {
  return {
    servers: targets.flatMap((target, index) => {
      const place = `targets[${index}]`;
      if (typeof target === "string") return isUrl(target) ? [] : [{ word: target, place }];
      return expandGrid(target, place).flatMap((one) => serverWords(one, place));
    }),
    engines: [
      ...(engine === undefined ? [] : [{ word: engine, place: "engine (--engine)" }]),
      ...targets.flatMap((target, index) => {
        if (typeof target === "string" || target.engine === undefined) return [];
        const word = typeof target.engine === "string" ? target.engine : target.engine.name;
        return [{ word, place: `targets[${index}].engine` }];
      }),
      ...Object.keys(engines).map((word) => ({ word, place: "engines" })),
    ],
  };
}

/** The words that a resolved scenario names plugins with. */
export function wordsOfScenario({ targets, engine }: Pick<Scenario, "targets" | "engine">): PluginWords {
  return {
    servers: targets.flatMap((target, index) => serverWords(target, `scenario.targets[${index}]`)),
    engines: [engine, ...targets.flatMap((target) => target.engine ?? [])].map(({ name }) => ({
      word: name,
      place: "scenario.engine",
    })),
  };
}

function serverWords({ server, options = {} }: NamedServer, place: string): readonly PluginWord[] {
  const { backends } = options;
  const groups: readonly unknown[] = Array.isArray(backends) ? backends : [];
  return [
    { word: server, place: `${place}.server` },
    ...groups.flatMap((group, index) => {
      const inner = `${place}.options.backends[${index}]`;
      if (typeof group === "string") return isUrl(group) ? [] : [{ word: group, place: inner }];
      return isServer(group) ? serverWords(group, inner) : [];
    }),
  ];
}

function isServer(group: unknown): group is Pick<BackendGroup, "server" | "options"> {
  return typeof group === "object" && group !== null && "server" in group && typeof group.server === "string";
}
