import { afterAll, describe, expect, it } from "vitest";
import type { Server } from "../../plugin.js";
import { serverContract } from "../../testing/server-contract.js";
import { occupyPort } from "../test-support/occupied-port.js";
import { useOwnTemporaryFolder } from "../test-support/own-temporary-folder.js";
import { testsOf } from "../test-support/program-installed.js";
import { nginxStaticServer } from "./nginx-static.js";
import { nginxServer } from "./nginx.js";

const { run: isExpected, note } = testsOf("nginx");
const MISSING =
  'nginx ("no-such-nginx") was not found. Install it (Debian, Ubuntu: apt-get install nginx; macOS: brew install nginx), or name the program with the option "program".';

const temporary = useOwnTemporaryFolder();

// Cases are made before hooks run, and their options name this.
const occupied = await occupyPort();
afterAll(() => occupied.free());

describe.runIf(isExpected).each([
  { server: nginxServer as Server, options: { backends: 2 } },
  { server: nginxServer as Server, options: { backends: 1, workers: 2, policy: "least-connections" } },
  { server: nginxStaticServer as Server, options: { workers: 2 } },
])(`server $server.name $options${note}`, ({ server, options }) => {
  it.each(
    serverContract(server, {
      options: () => options,
      failing: [
        {
          when: "its port is in use",
          options: () => ({ ...options, port: occupied.port }),
          says: ["nginx", String(occupied.port), "in use"],
        },
        { when: "it is not installed", options: () => ({ ...options, program: "no-such-nginx" }), says: [MISSING] },
        {
          when: "the program is another one",
          options: () => ({ ...options, program: "/bin/false" }),
          says: ["nginx", "exit code 1"],
        },
        {
          when: "there is no such template",
          options: () => ({ ...options, template: "no-such.conf" }),
          says: ["no-such.conf", "ENOENT", "template"],
        },
      ],
    }),
  )("$name", async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
    expect(temporary.content()).toEqual([]);
  });
});
