import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/** A server that a health check may ask. */
export interface CheckedServer {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Connections accepted so far. */
  readonly accepted: () => number;
  /** Resolves when no connection is open. */
  readonly quiet: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Has a server listen at a port of 127.0.0.1, or at a Unix socket, until the test ends. */
export async function serveChecks(server: Server, place: number | string = 0): Promise<CheckedServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  if (typeof place === "string") server.listen(place);
  else server.listen(place, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(close);
  const address = server.address();
  return {
    port: typeof place === "string" ? 0 : (address as AddressInfo).port,
    accepted: () => accepted,
    quiet: async () => {
      for (const socket of sockets) if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    },
    close,
  };
}

/** A folder that goes with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "health-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a key and a certificate that it has signed itself, for a host name and no address; needs `openssl`. */
export async function selfSigned(hostname: string): Promise<{ readonly key: Buffer; readonly cert: Buffer }> {
  const folder = await temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const name = ["-subj", `/CN=${hostname}`, "-addext", `subjectAltName=DNS:${hostname}`];
  await promisify(execFile)("openssl", ["req", ...kind, ...name, "-keyout", key, "-out", cert]);
  return { key: await readFile(key), cert: await readFile(cert) };
}
