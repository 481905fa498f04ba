import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { loadWorkMethod, type WorkReply } from "../grpc.js";

/** What came of a call: a reply, or the code and details of the status that it ended with. */
export type Outcome =
  | { readonly reply: WorkReply; readonly metadata: Readonly<Record<string, unknown>> }
  | { readonly code: number; readonly details: string };

/** Calls the sample service once. */
export type CallWork = (body?: string | Buffer, contentType?: string) => Promise<Outcome>;

/** A client of the service at `grpc://host:port` with a connection of its own, until the test ends. */
export async function clientOf(url: string, deadlineMs = 30_000): Promise<CallWork> {
  const { path, requestSerialize, responseDeserialize } = await loadWorkMethod();
  const client = new Client(url.replace("grpc://", ""), credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_http_proxy": 0,
    "grpc.max_receive_message_length": -1,
  });
  onTestFinished(() => client.close());
  return (body = "", contentType = "") =>
    new Promise((resolve) => {
      let metadata: Record<string, unknown> = {};
      const done = (error: ServiceError | null, reply?: WorkReply): void => {
        if (reply === undefined) resolve({ code: error?.code ?? -1, details: error?.details ?? "" });
        else resolve({ reply, metadata });
      };
      const request = { body: Buffer.from(body), contentType };
      const options = { deadline: Date.now() + deadlineMs };
      client
        .makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), options, done)
        .on("metadata", (initial: Metadata) => (metadata = initial.getMap()));
    });
}

/** The reply of a call that has to have one. */
export function replyOf(outcome: Outcome): WorkReply {
  if ("reply" in outcome) return outcome.reply;
  throw new Error(`Expected a reply, got status ${outcome.code}: ${outcome.details}`);
}
