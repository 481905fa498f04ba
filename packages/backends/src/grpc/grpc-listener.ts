import { Server, ServerCredentials, type handleUnaryCall } from "@grpc/grpc-js";
import { createServer, type AddressInfo, type Socket } from "node:net";
import type { Address } from "../address.js";
import { BACKEND_DEFAULTS } from "../defaults.js";
import type { WorkMethod, WorkReply, WorkRequest } from "./work-method.js";

/** A gRPC server that listens. */
export interface GrpcListener {
  readonly port: number;
  /** Takes no more calls, lets those in progress finish for a time, ends the rest; resolves when no connection is left. */
  readonly stop: (graceMs: number) => Promise<void>;
}

/**
 * Lets a function answer the calls of the method without TLS; rejects with the system's error when the address cannot be
 * listened on. The connections are accepted here and handed over: grpc-js itself prints when a port is in use, lets a
 * shortage of descriptors end the process, and has a shorter backlog than the HTTP servers it is compared with.
 */
export async function listenGrpc(
  method: WorkMethod,
  answer: handleUnaryCall<WorkRequest, WorkReply>,
  address: Address,
): Promise<GrpcListener> {
  const grpcServer = new Server({ "grpc.enable_channelz": 0, "grpc.max_receive_message_length": -1 });
  grpcServer.addService({ method }, { method: answer });
  const injector = grpcServer.createConnectionInjector(ServerCredentials.createInsecure());
  const sockets = new Set<Socket>();
  const netServer = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    // A client that resets its connection is no error of the server.
    socket.on("error", () => undefined);
    injector.injectConnection(socket);
  });
  await new Promise<void>((resolve, reject) => {
    netServer.once("error", reject);
    netServer.listen({ ...address, backlog: BACKEND_DEFAULTS.backlog }, () => {
      netServer.off("error", reject);
      resolve();
    });
  });
  // A connection that cannot be accepted, for want of descriptors say, must not end the server.
  netServer.on("error", () => undefined);
  return {
    port: (netServer.address() as AddressInfo).port,
    async stop(graceMs) {
      const closed = new Promise<void>((resolve) => netServer.close(() => resolve()));
      // Without a grace period there is nothing to announce, and clients take an announced end for an INTERNAL error.
      if (graceMs > 0) grpcServer.tryShutdown(() => undefined);
      const end = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(end);
      grpcServer.forceShutdown();
    },
  };
}
