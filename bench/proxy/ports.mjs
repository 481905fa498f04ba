import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const START_MS = 10_000;
const LOOK_EVERY_MS = 20;

/** Free ports, for programs that cannot be asked to take one themselves. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}

async function answers(port) {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Resolves when the port accepts connections; rejects when the process ends before, or takes more than 10 s. */
export async function untilListening(child, name, port) {
  for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(LOOK_EVERY_MS)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${name} ended before it listened; see above.`);
    if (await answers(port)) return;
  }
  throw new Error(`${name} did not listen on port ${port} within ${START_MS / 1000} s.`);
}

/** Resolves to the ports that a Node process of the bench sends when it listens; rejects when it ends before, or takes more than 10 s. */
export async function sentPorts(child, name) {
  const timeout = AbortSignal.timeout(START_MS);
  const ended = new AbortController();
  const onExit = () => ended.abort();
  child.once("exit", onExit);
  try {
    const [{ ports }] = await once(child, "message", { signal: AbortSignal.any([timeout, ended.signal]) });
    return ports;
  } catch (error) {
    if (ended.signal.aborted) throw new Error(`${name} ended before it listened; see above.`, { cause: error });
    if (timeout.aborted) throw new Error(`${name} did not listen within ${START_MS / 1000} s.`, { cause: error });
    throw error;
  } finally {
    child.off("exit", onExit);
  }
}
