import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../test-support/client.js";
import { TRANSPORTS } from "../test-support/transports.js";
import { readSlowly, writeBytes } from "./test-support/bodies.mjs";
import { startBalancerProcess } from "./test-support/start-balancer-process.js";
import { startProcess } from "./test-support/start-process.js";
import { watchPeak } from "./test-support/watch-peak.js";

const GIGABYTE = 1024 ** 3;
/** Brings a process that has just started to its working size: its code is compiled, its young generation has grown. */
const WARM_UP_BYTES = 64 * 1024 ** 2;
const MAX_GROWTH_BYTES = 64 * 1024 ** 2;
/** Most of it for slow machines. */
const TIMEOUT_MS = 120_000;

/** Has a client read an answer of so many bytes slowly; resolves with the number that came. */
async function download(url: string, bytes: number): Promise<number> {
  const sent = request(`${url}/${bytes}`).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return readSlowly(answer);
}

/** Has a backend read a body of so many bytes slowly; resolves with the number that it says came. */
async function upload(url: string, bytes: number, framing: "length" | "chunks"): Promise<number> {
  const headers = framing === "chunks" ? {} : { "content-length": bytes };
  const sent = request(url, { method: "POST", headers });
  const answered = readAnswer(sent);
  await writeBytes(sent, bytes);
  sent.end();
  return Number((await answered).body);
}

const TRANSFERS = [
  ["a client reads an answer slowly", download],
  ["a backend reads a body with a length slowly", (url: string, bytes: number) => upload(url, bytes, "length")],
  ["a backend reads a body in chunks slowly", (url: string, bytes: number) => upload(url, bytes, "chunks")],
] as const;

describe.each(TRANSPORTS)("a gigabyte through a balancer by %s", { timeout: TIMEOUT_MS }, (transport) => {
  it.each(TRANSFERS)("takes less than 64 MB when %s", async (_, transfer) => {
    const backend = await startProcess("./bodies-process.mjs", {});
    const backends = [{ name: "one", url: `http://127.0.0.1:${backend.ready as number}` }];
    const { url, residentBytes, snapshot } = await startBalancerProcess({ transport, backends });
    expect(await transfer(url, WARM_UP_BYTES)).toBe(WARM_UP_BYTES);

    const before = await residentBytes();
    const watch = watchPeak(residentBytes);
    expect(await transfer(url, GIGABYTE)).toBe(GIGABYTE);
    expect((await watch.peak()) - before).toBeLessThan(MAX_GROWTH_BYTES);
    expect((await snapshot()).backends).toMatchObject([{ requests: 2, errors: 0, aborted: 0, inFlight: 0 }]);
  });
});
