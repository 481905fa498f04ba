import { fork } from "node:child_process";
import { once } from "node:events";
import { expect } from "vitest";
import { createChildPool } from "../../src/child/pool.js";
import type { CompleteEngine } from "../../src/engines/complete-engine.js";
import { aContext, aLoad, type LoadOptions } from "../ground-truth/load.js";
import { fixture } from "./fixture.js";

/** A load, and where it goes. */
export interface MemoryCase {
  readonly engine: CompleteEngine;
  /** File of a server that tells its port. */
  readonly server: string;
  readonly scheme: "http" | "grpc";
  readonly options?: LoadOptions;
}

/** Largest resident memory, in bytes, of a generator that did nothing before but send so many requests, all of them ok. */
export async function residentBytes(
  { engine, server, scheme, options }: MemoryCase,
  requests: number,
): Promise<number> {
  const process = fork(fixture(server), { execArgv: [] });
  const children = createChildPool("generator");
  try {
    const [port] = (await once(process, "message")) as [number];
    const load = aLoad(`${scheme}://127.0.0.1:${port}`, { connections: 50, requests }, options);
    const { measurement, generators } = await engine.run(load, aContext(children));
    expect(measurement.requests).toMatchObject({ sent: requests, ok: requests });
    return generators[0]?.rssBytes ?? Number.NaN;
  } finally {
    await children.close();
    const exited = once(process, "exit");
    process.disconnect();
    await exited;
  }
}
