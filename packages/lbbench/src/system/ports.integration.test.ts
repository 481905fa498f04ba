import { once } from "node:events";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { WatchedProcess } from "../model/usage.js";
import { readNetworkSettings, startPressureSampler } from "./ports.js";

const CONNECTIONS = 60;

async function openConnections(): Promise<string> {
  const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: CONNECTIONS });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  server.on("connection", (socket) => sockets.push(socket.on("error", () => {})));
  for (let count = 0; count < CONNECTIONS; count++) {
    const socket = connect({ port, host: "127.0.0.1" });
    sockets.push(socket);
    await once(socket, "connect");
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${port}/`;
}

const OWN = { pid: process.pid, role: "balancer", name: "own", tree: false } as const;
const pidOf = ({ pid }: WatchedProcess): readonly number[] => [pid];

describe.runIf(process.platform === "linux")("startPressureSampler", () => {
  it("sees the descriptors and sockets that a load takes, and nothing of a process that is gone", async () => {
    const settings = readNetworkSettings();
    const gone = { ...OWN, name: "gone", pid: 2 ** 30 };
    const stop = startPressureSampler([OWN, gone], 1, settings, pidOf);
    await openConnections();
    const seen = await stop();
    expect(seen.ports).toBe(settings.ephemeralPorts);
    expect(seen.socketsMost).toBeGreaterThanOrEqual(CONNECTIONS * 2);
    expect(seen.descriptors).toMatchObject([{ name: "own", role: "balancer" }]);
    expect(seen.descriptors[0]?.most).toBeGreaterThanOrEqual(CONNECTIONS * 2);
    expect(seen.timeWait?.most).toBeGreaterThanOrEqual(seen.timeWait?.before ?? Infinity);
  });

  it("sees the descriptors of a process that was started in the place of another", async () => {
    const gone = { ...OWN, pid: 2 ** 30 };
    let pids = [gone.pid];
    const stop = startPressureSampler([gone], 1, undefined, () => pids);
    await openConnections();
    pids = [gone.pid, OWN.pid];
    expect((await stop()).descriptors).toMatchObject([{ name: "own", most: expect.any(Number) }]);
  });

  it("looks who takes the ports only when there are enough sockets for it to matter", async () => {
    const settings = readNetworkSettings();
    const url = await openConnections();
    const target = Number(new URL(url).port);
    const see = (ephemeralPorts: number) =>
      startPressureSampler([OWN], target, { ...settings, ephemeralPorts }, pidOf)();
    // Other programs may open sockets meanwhile.
    expect(await see(1_000_000_000)).not.toHaveProperty("portsTaken");
    const seen = await see(CONNECTIONS);
    expect(seen.portsTaken?.find(({ process }) => process === "generator")).toEqual({
      process: "generator",
      destination: new URL(url).host,
      taken: CONNECTIONS,
    });
  });
});
