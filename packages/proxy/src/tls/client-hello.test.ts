import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { connect, type ConnectionOptions } from "node:tls";
import { Draws } from "@lbbench/test-support/draws.js";
import { beforeAll, expect, it } from "vitest";
import { speaking, TLS_VERSIONS } from "../test-support/tls-client.js";
import { nameAskedIn } from "./client-hello.js";

/** What Node sends first, without an answer. */
async function firstBytes(options: ConnectionOptions): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect({ port: (server.address() as AddressInfo).port, ...options }).on("error", () => undefined);
  const [socket] = (await once(server, "connection")) as [Socket];
  const [bytes] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return bytes;
}

/** The same message in records of so many bytes. */
function inRecords(bytes: Buffer, size: number): Buffer {
  const message = bytes.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const piece = message.subarray(at, at + size);
    records.push(bytes.subarray(0, 3), Buffer.from([piece.length >> 8, piece.length & 255]), piece);
  }
  return Buffer.concat(records);
}

const NAME = "a.shop.test";
let hello: Buffer;
beforeAll(async () => {
  hello = await firstBytes({ servername: NAME, ALPNProtocols: ["h2", "http/1.1"] });
});

it.each(TLS_VERSIONS)("reads the name that a client of %s asks for, or that it asks for none", async (version) => {
  expect(nameAskedIn(await firstBytes({ ...speaking(version), servername: NAME }))).toBe(NAME);
  expect(nameAskedIn(await firstBytes(speaking(version)))).toBe("");
});

it("waits until all has come, in one record or in many", () => {
  for (const bytes of [hello, inRecords(hello, 100), inRecords(hello, 3), inRecords(hello, 1)]) {
    for (let size = 0; size < bytes.length; size++) expect(nameAskedIn(bytes.subarray(0, size))).toBeUndefined();
    expect(nameAskedIn(bytes)).toBe(NAME);
    expect(nameAskedIn(Buffer.concat([bytes, Buffer.from("more")]))).toBe(NAME);
  }
});

it("finds no name in what is no TLS, and waits for no more than 16 KiB", () => {
  expect(nameAskedIn(Buffer.from("GET / HTTP/1.1\r\n"))).toBe("");
  // An alert, and a message that no client begins with.
  expect(nameAskedIn(Buffer.from([21, 3, 1, 0, 2, 1, 0]))).toBe("");
  expect(nameAskedIn(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]))).toBe("");
  const message = Buffer.concat([Buffer.from([22, 3, 1, 0, 0, 1, 255, 255, 255]), Buffer.alloc(20_000)]);
  const endless = inRecords(message, 1000);
  expect([nameAskedIn(endless.subarray(0, 16_000)), nameAskedIn(endless)]).toEqual([undefined, ""]);
});

it("never throws, whatever is changed in it", () => {
  const draws = new Draws(36);
  for (let time = 0; time < 20_000; time++) {
    const bytes = Buffer.from(hello);
    for (let change = draws.below(3); change >= 0; change--) bytes[draws.below(bytes.length)] = draws.below(256);
    expect(nameAskedIn(bytes)).toBeOneOf([expect.any(String), undefined]);
  }
});
