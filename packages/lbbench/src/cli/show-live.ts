import { ConfigError, openLiveView, type LiveView, type LiveViewOptions } from "../index.js";
import type { CommandIo } from "./io.js";

/** What is the matter with a port that cannot be listened at. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["EADDRINUSE", "something listens there already"],
  ["EACCES", "the system does not allow it to this user"],
]);

/** Opens a live view and prints where it is, also when nothing else is printed: its address cannot be guessed. */
export async function showLive(options: LiveViewOptions, { stderr }: CommandIo): Promise<LiveView> {
  try {
    const view = await openLiveView(options);
    stderr.write(`Live: ${view.url}\n`);
    return view;
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? REASONS.get(error.code) : undefined;
    if (reason === undefined) throw error;
    throw new ConfigError(
      `--live-port: expected a port that is free, got ${options.port}: ${reason}. Name another, or leave it out`,
      { cause: error },
    );
  }
}
