import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createChildPool } from "../src/child/pool.js";
import { undiciEngine } from "../src/engines/undici/engine.js";
import { aContext, aLoad } from "./ground-truth/load.js";

const FEW = 20_000;
const MANY = 200_000;
/** What is left of a request would have to be less than 140 bytes to go unnoticed. */
const MOST_GROWTH_BYTES = 25_000_000;

let server: ChildProcess;
let url: string;

beforeAll(async () => {
  server = fork(new URL("./fixtures/fast-server.mjs", import.meta.url), { execArgv: [] });
  const [port] = (await once(server, "message")) as [number];
  url = `http://127.0.0.1:${port}/`;
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
    const load = aLoad(url, { connections: 50, requests });
    const mix = ["/a", "/b", "/c"].map((path) => ({
      name: path,
      weight: 1,
      request: { ...load.request, path },
      bodies: path === "/c" ? ["one", "two"] : null,
    }));
    const { measurement, generators } = await undiciEngine.run({ ...load, mix }, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
    return generators[0]?.rssBytes ?? Number.NaN;
  } finally {
    await children.close();
  }
}

it("a generator of a mix needs no more memory for ten times as many requests", { timeout: 300_000 }, async () => {
  const few = await residentBytes(FEW);
  const many = await residentBytes(MANY);
  expect(many - few, `${few} bytes for few, ${many} for many`).toBeLessThan(MOST_GROWTH_BYTES);
});
