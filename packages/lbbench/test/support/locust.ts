import { homedir } from "node:os";
import { join } from "node:path";

/** The Pythons that `.ci/install-locust` has made, each with a Locust: the oldest that workers are for, and the newest. */
export const LOCUSTS = ["oldest", "newest"].map((name) => {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return { name, python: join(cache, "lbbench", `locust-${name}`, "bin/python") };
});
