import type { Target } from "../model/scenario.js";

/** Servers whose option `url` says where they answer, path and query included. */
const SERVERS_AT_URL: ReadonlySet<string> = new Set(["url", "command"]);

/** Returns path and query of the URLs that targets answer at, each once; `/` of those that are no URL. */
export function targetPaths(targets: readonly Pick<Target, "server" | "options">[]): readonly string[] {
  return [...new Set(targets.map(pathOf))];
}

function pathOf({ server, options }: Pick<Target, "server" | "options">): string {
  const url = SERVERS_AT_URL.has(server) ? options["url"] : undefined;
  // The port of a command is not known yet.
  const text = typeof url === "string" ? url.replaceAll("{port}", "1") : "";
  if (!URL.canParse(text)) return "/";
  const { pathname, search } = new URL(text);
  return pathname + search;
}
