import { afterAll, describe, expect, it } from "vitest";
import type { Server } from "../../plugin.js";
import { serverContract } from "../../testing/server-contract.js";
import { occupyPort } from "../test-support/occupied-port.js";
import { useOwnTemporaryFolder } from "../test-support/own-temporary-folder.js";
import { testsOf } from "../test-support/program-installed.js";
import { haproxyServer } from "./haproxy.js";

const { run: isExpected, note } = testsOf("haproxy");

const temporary = useOwnTemporaryFolder();

// Cases are made before hooks run, and their options name this.
const occupied = await occupyPort();
afterAll(() => occupied.free());

describe.runIf(isExpected).each([{ backends: 2 }, { backends: 1, workers: 2, keepAlive: 0 }])(
  `server haproxy %o${note}`,
  (options) => {
    it.each(
      serverContract(haproxyServer as Server, {
        options: () => options,
        failing: [
          {
            when: "its port is in use",
            options: () => ({ ...options, port: occupied.port }),
            says: ["haproxy", String(occupied.port), "in use"],
          },
          {
            when: "it is not installed",
            options: () => ({ ...options, program: "no-such-haproxy" }),
            says: ['HAProxy ("no-such-haproxy") was not found', "apt-get install haproxy", "brew install haproxy"],
          },
          {
            when: "the program is another one",
            options: () => ({ ...options, program: "/bin/false" }),
            says: ["haproxy", "exit code 1"],
          },
          {
            when: "there is no such template",
            options: () => ({ ...options, template: "no-such.cfg" }),
            says: ["no-such.cfg", "ENOENT", "template"],
          },
        ],
      }),
    )("$name", async ({ run }) => {
      await expect(run()).resolves.toBeUndefined();
      expect(temporary.content()).toEqual([]);
    });
  },
);
