import net, { type Socket } from "node:net";
import tls from "node:tls";
import type { FailureClass } from "../../model/measurement.js";
import type { Recorder } from "../recorder.js";
import type { Destination } from "../request-plan.js";
import { wasReset } from "../was-reset.js";

/** A connection that undici speaks over, and what is to be known of it. */
export interface Wire {
  readonly socket: Socket;
  /** Told when it is established, after the handshake of TLS. */
  readonly readyEvent: "connect" | "secureConnect";
  /** Whether it was established. */
  connected: boolean;
  /** How the other side ended it, once it has. */
  ending: (FailureClass & ("dropped" | "resets")) | undefined;
  /** Whether what is read now had come before the last request was written. */
  readonly readsEarlierBytes: () => boolean;
}

/**
 * Opens a connection. It counts every byte, and writes the bytes of the request as the scenario spells it whenever undici
 * writes one of its own: undici would put the headers into another order and refuse some of them.
 *
 * @param bytes what the request that is written now has to be.
 */
export function openWire(plan: Destination, bytes: () => Buffer, recorder: Recorder): Wire {
  const socket = plan.secure ? tls.connect(tlsOptions(plan)) : net.connect({ port: plan.port, host: plan.host });
  socket.setNoDelay();
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (bytes: Buffer) => boolean;
  let reading = false;
  let writtenWhileReading = false;

  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size);
    // Node itself asks with a size, to make the stream go on.
    if (size !== undefined) return chunk;
    reading = chunk !== null;
    if (chunk !== null) {
      writtenWhileReading = false;
      recorder.received(chunk.length);
    }
    return chunk;
  };
  // Undici writes a request that has no body, as it is given them, in one piece.
  socket.write = () => {
    writtenWhileReading = reading;
    const request = bytes();
    recorder.written(request.length);
    return write(request);
  };
  // Whether the process may end is not for an idle connection to say, and undici would tell it twice for each request.
  socket.ref = () => socket;
  socket.unref = () => socket;
  const wire: Wire = {
    socket,
    readyEvent: plan.secure ? "secureConnect" : "connect",
    connected: false,
    ending: undefined,
    readsEarlierBytes: () => writtenWhileReading,
  };
  socket.on("end", () => {
    wire.ending = wasReset(socket) ? "resets" : "dropped";
  });
  return wire;
}

/** The certificate is verified, with what Node trusts (and `NODE_EXTRA_CA_CERTS`), whatever the environment says of it. */
function tlsOptions({ host, port }: Destination): tls.ConnectionOptions {
  const name = net.isIP(host) === 0 ? { servername: host } : {};
  return { host, port, ALPNProtocols: ["http/1.1"], rejectUnauthorized: true, ...name };
}
