import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LOCALHOST_FILES } from "@lbbench/test-support/certificates.js";
import { isListening } from "@lbbench/test-support/client.js";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startNginx } from "@lbbench/test-support/nginx.js";
import { findFreePort } from "../../src/system/listen.js";

/**
 * Starts nginx, which answers `hello`, and writes a line of these words for each request; `log` reads them.
 *
 * @param listen what stands behind the port: `ssl`.
 * @param settings further ones, for all servers.
 */
export async function startLoggingNginx(words: string, listen: string, settings: string) {
  const port = await findFreePort();
  const folder = startNginx(`
    log_format plain "${words}";
    access_log access.log plain;
    ${settings}
    server {
      listen 127.0.0.1:${port} ${listen};
      ssl_certificate ${LOCALHOST_FILES.cert}; ssl_certificate_key ${LOCALHOST_FILES.key};
      location / { return 200 "hello"; }
    }`);
  await expectSoon(() => isListening(port)).toBe(true);
  const log = () =>
    readFileSync(join(folder, "access.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
  return { port, log };
}
