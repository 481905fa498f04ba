import { expect, it } from "vitest";
import { runWorkerBySsh } from "./ssh.js";

const MASTER = { host: "127.0.0.1", port: 5557 };

it.each([
  ["-oProxyCommand=touch", MASTER, /--workers: expected hosts .* got "-oProxyCommand=touch"/],
  ["me@-oProxyCommand", MASTER, /--workers: expected hosts/],
  ["", MASTER, /--workers: expected hosts/],
  ["gen1;id", MASTER, /--workers: expected hosts/],
  ["gen1", { ...MASTER, host: "10.0.0.1;id" }, /--workers-listen: expected an address/],
])(
  "refuses the host %j before anything is run, and an address of the master that is none",
  async (host, master, says) => {
    const run = runWorkerBySsh(host, master, "t", { signal: new AbortController().signal });
    await expect(run).rejects.toMatchObject({ code: "BAD_CONFIG", message: expect.stringMatching(says) });
  },
);
