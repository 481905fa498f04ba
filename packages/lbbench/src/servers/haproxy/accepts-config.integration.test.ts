import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeCommandFolder } from "../command-folder.js";
import { withServerFolders } from "../../child/missing-program.js";
import { testsOf } from "../test-support/program-installed.js";
import { haproxyConfig } from "./config.js";
import { haproxyServer } from "./haproxy.js";

const BACKENDS = ["a # b", "b\nc", '"d" {folder}'].map((name, index) => ({
  name,
  url: `http://127.0.0.1:${9001 + index}`,
  weight: index + 1,
}));
const { run, note } = testsOf("haproxy");

/** What `haproxy -c` says of a configuration. */
function check(config: string): { readonly status: number | null; readonly output: string } {
  const folder = makeCommandFolder({ "haproxy.cfg": config });
  try {
    const how = { cwd: folder, env: withServerFolders({}), encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync("haproxy", ["-c", "-V", "-f", "haproxy.cfg"], how);
    return { status, output: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.runIf(run)(`haproxy -c${note}`, () => {
  it.each([
    { policy: "round-robin" },
    { policy: "weighted-round-robin" },
    { policy: "least-connections" },
    { policy: "random" },
    { policy: "power-of-two-choices" },
    { policy: "ip-hash" },
    { policy: "consistent-hash" },
    { policy: "consistent-hash:header:X-User" },
    { policy: "consistent-hash:cookie:session-id" },
    { workers: 2, maxConnections: 3 },
    { keepAlive: 0 },
  ])("accepts %o", (options) => {
    const place = { port: 18_080, folder: "{folder}" };
    const { status, output } = check(haproxyConfig(haproxyServer.options.parse(options), BACKENDS, place));
    expect(output).toContain("Configuration file is valid");
    expect(output).not.toMatch(/\[(WARNING|ALERT)\]/);
    expect(status).toBe(0);
  });

  it("does not accept just anything", () => {
    expect(check("global\n  no-such-word\n")).toMatchObject({ status: 1 });
  });
});
