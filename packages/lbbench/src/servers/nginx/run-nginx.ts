import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { userInfo } from "node:os";
import { DEFAULTS } from "../../config/defaults.js";
import type { RunningServer, ServerContext, WatchedProcess } from "../../plugin.js";
import { FOLDER_PLACE, startForegroundProgram } from "../../system/supervise.js";
import { quoteLines } from "../config-template.js";
import { explainMissing, locateProgram, withServerFolders } from "../../system/program.js";
import { waitUntilAccepts } from "../wait-until-accepts.js";
import type { NginxPlace } from "./config.js";

/** What is run. */
export interface NginxRun {
  readonly program: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly watched: Pick<WatchedProcess, "name" | "role">;
  /** The configuration for where it runs. */
  readonly config: (place: NginxPlace) => string;
  /** Files beside the configuration. */
  readonly files?: Readonly<Record<string, string>>;
}

const INSTALLATION = { title: "nginx", packageName: "nginx" };
const CONFIG_FILE = "nginx.conf";
const PID_FILE = "nginx.pid";
const LOOK_INTERVAL_MS = 10;

/** Runs nginx until it is stopped; rejects with a `StartError`, with nothing left behind. */
export async function runNginx(
  { program, port, watched, config, files }: NginxRun,
  context: ServerContext,
): Promise<RunningServer> {
  const { folder: _, ...server } = await startForegroundProgram(
    port,
    (at) => {
      const url = new URL(`http://${DEFAULTS.host}:${at}`);
      const text = config({ port: at, folder: FOLDER_PLACE, user: workerUser() });
      return {
        title: watched.name,
        shortName: watched.name,
        command: {
          argv: [locateProgram(program, context.folder), ...argumentsOf()],
          env: withServerFolders(context.env),
          cwd: FOLDER_PLACE,
          files: { ...files, [CONFIG_FILE]: text },
        },
        url,
        watched,
        readyTimeoutMs: DEFAULTS.balancerProgram.readyTimeoutMs,
        waitUntilReady: async (signal, folder) => {
          // Written when it has its port, which it tries for some seconds to get from whoever else may have it.
          await waitForFile(join(folder ?? "", PID_FILE), signal);
          await waitUntilAccepts(url, signal);
        },
        slowAdvice: "A template has to listen at {{host}}:{{port}}.",
        explainRunError: (message) => explainMissing(program, INSTALLATION, message),
        explainEnd: (output) => quoteLines(text, CONFIG_FILE, output),
      };
    },
    context,
  );
  return server;
}

/** With `daemon` said here, a template cannot send it where nobody would stop it: nginx refuses to be told twice. */
function argumentsOf(): readonly string[] {
  return ["-p", FOLDER_PLACE, "-e", "stderr", "-c", CONFIG_FILE, "-g", `daemon off; pid ${PID_FILE};`];
}

/** Root's workers stay root's: another user might not get at the files that are served, which others may not see. */
function workerUser(): string | null {
  if (process.getuid?.() !== 0) return null;
  return `${userInfo().username} ${process.platform === "linux" ? "root" : "wheel"}`;
}

async function waitForFile(path: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await access(path);
      return;
    } catch {
      await setTimeout(LOOK_INTERVAL_MS, undefined, { signal });
    }
  }
}
