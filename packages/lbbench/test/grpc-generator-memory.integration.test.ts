import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createChildPool } from "../src/child/pool.js";
import { grpcEngine } from "../src/engines/grpc/engine.js";
import { aContext, aLoad } from "./ground-truth/load.js";

const FEW = 20_000;
const MANY = 100_000;
/** What is left of a call would have to be less than 500 bytes to go unnoticed; the call alone takes thousands. */
const MOST_GROWTH_BYTES = 40_000_000;

let server: ChildProcess;
let url: string;

beforeAll(async () => {
  server = fork(new URL("./fixtures/fast-grpc-server.mjs", import.meta.url), { execArgv: [] });
  const [port] = (await once(server, "message")) as [number];
  url = `grpc://127.0.0.1:${port}`;
});

afterAll(async () => {
  const exited = once(server, "exit");
  server.disconnect();
  await exited;
});

/** Largest resident memory of a generator that did nothing else before. */
async function residentBytes(requests: number): Promise<number> {
  const children = createChildPool("generator");
  try {
    const { measurement, generators } = await grpcEngine.run(
      aLoad(url, { connections: 50, requests }),
      aContext(children),
    );
    expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
    return generators[0]?.rssBytes ?? Number.NaN;
  } finally {
    await children.close();
  }
}

it("a generator needs no more memory for five times as many calls", { timeout: 300_000 }, async () => {
  const few = await residentBytes(FEW);
  const many = await residentBytes(MANY);
  expect(many - few, `${few} bytes for few, ${many} for many`).toBeLessThan(MOST_GROWTH_BYTES);
});
