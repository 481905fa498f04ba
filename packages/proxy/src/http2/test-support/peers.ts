import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { expectSoon } from "@lbbench/test-support/expect-soon.js";
import { startProgram } from "@lbbench/test-support/run-program.js";
import { balance } from "./balance.js";

/** Where the programs are that are run here. */
export const PROGRAMS: string = fileURLToPath(new URL("../test-programs/", import.meta.url));

/** A program that is a server or a client, by what stands behind these arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** By grpc-js. */
export const NODE: Command = [process.execPath, join(PROGRAMS, "peer.mjs")];

/** Starts a program as a server that ends with the test. */
export async function startServer([program, ...args]: Command) {
  const { stdout, stderr } = startProgram(program, args, PROGRAMS);
  await expectSoon(() => stdout() + stderr()).toMatch(/\n/);
  const [, port] = /^port (\d+)$/m.exec(stdout()) ?? [];
  if (port === undefined) throw new Error(`expected the server's port, got: ${stderr()}`);
  return { port, stdout, url: `h2c://127.0.0.1:${port}` };
}

/** Runs a program as a client; returns what it prints. */
export async function runClient([program, ...args]: Command): Promise<unknown> {
  const { code, stdout, stderr } = await startProgram(program, args, PROGRAMS).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

/** A `google.rpc.Status`: its code, its message, and one detail. */
function statusMessage(code: number, message: string): Buffer {
  const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.of(number * 8 + 2, bytes.length), bytes]);
  const detail = [field(1, Buffer.from("type.example/test.Reason")), field(2, Buffer.of(0, 1, 255))];
  return Buffer.concat([Buffer.of(8, code), field(2, Buffer.from(message)), field(3, Buffer.concat(detail))]);
}

/** Has a client make a call of every kind to a server, with what stands around it, through a balancer. */
export async function expectCalls(client: Command, server: Command): Promise<void> {
  const { backend, port, snapshot } = await balance(startServer([...server, "serve"]));
  const details = statusMessage(5, "as asked: ü").toString("hex");
  expect(await runClient([...client, "call", String(port), "5 as asked: ü", details])).toEqual({
    unary: { answer: "hello", leading: "with it", trailing: "with it", trailingBin: "00ff", deadline: "true" },
    down: Array.from({ length: 200 }, (_, at) => `1000 of ${at}`),
    up: "200000",
    both: Array.from({ length: 20 }, (_, at) => `round ${at}`),
    fail: { code: 5, message: "as asked: ü", details },
    deadline: 4,
  });
  await expectSoon(backend.stdout).toContain("cancelled");
  await expectSoon(() => snapshot().backends[0]?.grpc).toMatchObject({ OK: 4, NOT_FOUND: 1 });
  await expectSoon(() => snapshot().backends[0]?.inFlight).toBe(0);
}
