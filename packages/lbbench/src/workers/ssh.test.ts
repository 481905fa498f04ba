import { expect, it } from "vitest";
import { startWorkersBySsh } from "./ssh.js";

const MASTER = { host: "127.0.0.1", port: 5557 };

it.each([
  ["-oProxyCommand=touch", MASTER, /--workers: expected hosts .* got "-oProxyCommand=touch"/],
  ["me@-oProxyCommand", MASTER, /--workers: expected hosts/],
  ["", MASTER, /--workers: expected hosts/],
  ["gen1;id", MASTER, /--workers: expected hosts/],
  ["gen1", { ...MASTER, host: "10.0.0.1;id" }, /--workers-listen: expected an address/],
])("refuses the host %j before anything is run, and an address of the master that is none", (host, master, says) => {
  const start = () => startWorkersBySsh(["gen1", host], master, { token: "t", signal: new AbortController().signal });
  expect(start).toThrow(says);
  expect(start).toThrow(expect.objectContaining({ code: "BAD_CONFIG" }));
});
