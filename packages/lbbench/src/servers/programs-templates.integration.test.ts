import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunningServer, Server } from "../plugin.js";
import { expectNothingLeft, startServer } from "../testing/started-server.js";
import { followDescendants } from "../testing/processes.js";
import { haproxyServer } from "./haproxy/haproxy.js";
import { nginxServer } from "./nginx/nginx.js";
import { testsOf } from "./test-support/program-installed.js";
import { requestOnce } from "./test-support/request-once.js";

const NGINX = `{{#user}}user {{user}};{{/user}}
events {}
http {
  access_log off;
  proxy_temp_path proxy;
  upstream mine { {{#backends}}server {{address}};{{/backends}} }
  server { listen {{host}}:{{port}}; location / { proxy_pass http://mine; add_header X-Mine {{workers}}; } }
}
`;
const HAPROXY = `global
  daemon
  master-worker
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
listen mine
  bind {{host}}:{{port}}
  http-response set-header X-Mine {{workers}}
{{#backends}}
  server {{name}} {{address}}
{{/backends}}
`;

let folder: string;
let running: RunningServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lbbench-test-"));
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true });
});

async function start(server: Server, template: string): Promise<RunningServer> {
  const path = join(folder, "mine.template");
  writeFileSync(path, template);
  running = await startServer(server, { backends: 2, workers: 2, template: path });
  return running;
}

for (const { program, server, good, bad, says } of [
  {
    program: "nginx",
    server: nginxServer,
    good: NGINX,
    bad: "evnts {}",
    says: [/unknown directive "evnts"/, /is: evnts {}/],
  },
  {
    program: "haproxy",
    server: haproxyServer,
    good: HAPROXY,
    bad: "globl\n",
    says: [/\[haproxy\.cfg:1\]/, /is: globl/],
  },
]) {
  const { run, note } = testsOf(program);

  describe.runIf(run)(`a template for ${program}${note}`, () => {
    it("is what it runs by; the backends are asked for their counts", async () => {
      const descendants = await followDescendants();
      const server_ = await start(server as Server, good);
      for (const _ of [1, 2]) expect((await requestOnce(server_.url)).headers["x-mine"]).toBe("2");
      expect(await server_.backends?.()).toEqual({ "backend-1": { requests: 1 }, "backend-2": { requests: 1 } });
      await descendants.look();
      await server_.stop();
      await expect(expectNothingLeft(server_, descendants)).resolves.toBeUndefined();
    });

    it("is refused with the program's own words, and the line that it does not understand", async () => {
      const failing = start(server as Server, bad);
      for (const words of says) await expect(failing).rejects.toThrow(words);
    });

    it("is refused when it uses a name that there is not", async () => {
      await expect(start(server as Server, "{{prot}}")).rejects.toThrow(/mine\.template cannot be used.*got "prot"/);
    });
  });
}

const { run: hasNginx, note: nginxNote } = testsOf("nginx");

it.runIf(hasNginx)(`nginx is kept in the foreground, whatever a template says${nginxNote}`, async () => {
  await expect(start(nginxServer as Server, `daemon on;\n${NGINX}`)).rejects.toThrow('"daemon" directive is duplicate');
});
