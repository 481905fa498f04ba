import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.js";

/**
 * Starts nginx, alone in one process, until the test has finished; it may not listen yet. `http` is what stands in the block of that name;
 * paths in it are those of the folder with these files, which is returned.
 */
export function startNginx(http: string, files: Readonly<Record<string, string>> = {}): string {
  const config = `daemon off; master_process off; pid nginx.pid; error_log stderr crit;
    events { worker_connections 512; }
    http {
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      ${http}
    }`;
  const folder = temporaryFolder({ ...files, "nginx.conf": config });
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/local/sbin:/usr/sbin:/sbin` };
  const args = ["-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")];
  const nginx = spawn("nginx", args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const exited = once(nginx, "exit");
  onTestFinished(async () => {
    nginx.kill("SIGTERM");
    await exited;
  });
  return folder;
}
