import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where probes find the hub. */
export interface ProbeAddress {
  readonly path: string;
  /** Removes what is left of it when nobody listens any more. */
  readonly remove: () => Promise<void>;
}

/** Chooses an address that nobody uses: on Linux and Windows a name that is no file, so that nothing can be left of it. */
export async function createProbeAddress(platform: NodeJS.Platform = process.platform): Promise<ProbeAddress> {
  const name = `lbbench-probe-${randomBytes(8).toString("hex")}`;
  switch (platform) {
    case "linux":
      return { path: `\0${name}`, remove: async () => {} };
    case "win32":
      return { path: `\\\\.\\pipe\\${name}`, remove: async () => {} };
    default: {
      const folder = await mkdtemp(join(tmpdir(), "lbbench-probe-"));
      return { path: join(folder, "hub.sock"), remove: () => rm(folder, { recursive: true, force: true }) };
    }
  }
}
