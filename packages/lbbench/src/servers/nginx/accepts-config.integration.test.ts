import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeCommandFolder } from "../command-folder.js";
import { withServerFolders } from "../../child/missing-program.js";
import { testsOf } from "../test-support/program-installed.js";
import { nginxConfig } from "./config.js";
import { nginxServer } from "./nginx.js";
import { nginxStaticConfig } from "./static-config.js";

const BACKENDS = ['a"; }', "b\nc", "$d {folder}"].map((name, index) => ({
  name,
  url: `http://127.0.0.1:${9001 + index}`,
  weight: index + 1,
}));
const PLACE = { port: 18_080, folder: "{folder}", user: null };
const { run, note } = testsOf("nginx");

/** What `nginx -t` says of a configuration. */
function check(config: string): { readonly status: number | null; readonly output: string } {
  const folder = makeCommandFolder({ "nginx.conf": config });
  try {
    const args = ["-t", "-p", folder, "-e", "stderr", "-c", "nginx.conf", "-g", `pid ${join(folder, "nginx.pid")};`];
    const { status, stderr } = spawnSync("nginx", args, { env: withServerFolders({}), encoding: "utf8" });
    return { status, output: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.runIf(run)(`nginx -t${note}`, () => {
  it.each([
    { policy: "round-robin" },
    { policy: "weighted-round-robin" },
    { policy: "least-connections" },
    { policy: "random" },
    { policy: "power-of-two-choices" },
    { policy: "ip-hash" },
    { policy: "consistent-hash" },
    { policy: "consistent-hash:header:X-User" },
    { policy: "consistent-hash:cookie:session_id" },
    { policy: "power-of-two-choices", workers: 2, maxConnections: 3 },
    { policy: "consistent-hash", workers: 2, keepAlive: 0 },
    { keepAlive: 0 },
  ])("accepts %o", (options) => {
    const { status, output } = check(nginxConfig(nginxServer.options.parse(options), BACKENDS, PLACE));
    expect(output).toContain("test is successful");
    expect(output).not.toMatch(/\[(warn|emerg|alert)\]/);
    expect(status).toBe(0);
  });

  it("accepts the configuration of nginx-static", () => {
    const settings = { root: "/tmp/a b;{}'#", workers: 1, clientConnections: 8, keepAliveRequests: 1, backlog: 1 };
    expect(check(nginxStaticConfig(settings, PLACE)).output).toContain("test is successful");
  });

  it("does not accept just anything", () => {
    expect(check("no_such_directive on;")).toMatchObject({ status: 1 });
  });
});
