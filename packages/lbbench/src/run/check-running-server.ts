import { inspect } from "node:util";
import type { RunningServer } from "../plugin.js";
import { StartError } from "../system/program.js";

/**
 * Checks what the plugin of that name has started: its URL, its processes, its death and its stop are there. Rejects with a
 * {@link StartError} that says what is not, after having stopped what can be stopped.
 */
export async function checkRunningServer(started: unknown, plugin: string): Promise<RunningServer> {
  const running = (typeof started === "object" && started !== null ? started : {}) as Readonly<Record<string, unknown>>;
  const fault = describeFault(started, running);
  if (fault === undefined) return started as RunningServer;
  if (typeof running["stop"] === "function")
    await Promise.resolve(Reflect.apply(running["stop"], started, [])).catch(() => {});
  throw new StartError(
    `The server plugin "${plugin}": expected its start to resolve with { url, processes, died, stop }, but ${fault}. ` +
      "That is a mistake in the plugin: mend it there.",
  );
}

function describeFault(
  started: unknown,
  { url, processes, died, stop }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (typeof started !== "object" || started === null) return `it resolves with ${show(started)}`;
  if (typeof url !== "string" || !URL.canParse(url)) return `its "url" is no URL: ${show(url)}`;
  if (!Array.isArray(processes)) return `its "processes" is no list: ${show(processes)}`;
  if (typeof died !== "object" || died === null || !("then" in died)) return `its "died" is no promise: ${show(died)}`;
  return typeof stop === "function" ? undefined : `its "stop" is no function: ${show(stop)}`;
}

function show(value: unknown): string {
  return inspect(value, { depth: 0, breakLength: Number.POSITIVE_INFINITY });
}
