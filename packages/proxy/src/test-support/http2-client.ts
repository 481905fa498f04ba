import {
  connect,
  type ClientHttp2Session,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from "node:http2";
import { onTestFinished } from "vitest";

/** Connects to a balancer by HTTP/2 as Node does, until the test ends. */
export async function openHttp2(url: string, options: SecureClientSessionOptions = {}): Promise<ClientHttp2Session> {
  const session = connect(url, options).on("error", () => undefined);
  onTestFinished(() => session.destroy());
  await new Promise<void>((resolve, reject) => {
    session.once("remoteSettings", () => resolve()).once("close", () => reject(new Error(`${url} speaks no HTTP/2.`)));
  });
  return session;
}

/** Asks on a connection that is there, and waits for the end of the stream. */
export async function askHttp2(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string | Buffer) {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  let answer: Readonly<Record<string, unknown>> = {};
  let trailers: Readonly<Record<string, unknown>> | undefined;
  const interim: number[] = [];
  const pieces: Buffer[] = [];
  stream.on("headers", (came) => interim.push(Number(came[":status"])));
  stream.on("response", (came) => (answer = came));
  stream.on("trailers", (came) => (trailers = came));
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  stream.on("error", () => undefined);
  await new Promise<void>((resolve) => stream.once("close", () => resolve()));
  const status = answer[":status"];
  return {
    status: typeof status === "number" ? status : undefined,
    headers: answer,
    /** Statuses of interim answers. */
    interim,
    trailers,
    body: Buffer.concat(pieces).toString("latin1"),
    /** Code of the RST_STREAM that ended it; 0 for none. */
    code: stream.rstCode,
  };
}
