import { resolve } from "node:path";
import type { Metadata } from "@grpc/grpc-js";
import type { RequestSpec } from "../../model/scenario.js";
import type { Load } from "../../plugin.js";
import { findMethod, type ProtoMethod } from "./find-method.js";
import { loadProto } from "./load-proto.js";
import { matchMessage } from "./match-message.js";
import { grpcOptions, type GrpcOptions } from "./options.js";
import { readMessage } from "./read-message.js";
import { readMetadata } from "./read-metadata.js";

/** What every call of a run is. */
export interface UnaryCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The request message. */
  readonly message: Buffer;
  readonly metadata: Metadata;
  /** Whether an answer is the expected one. */
  readonly isExpected: (answer: Buffer) => boolean;
}

/** What a call is made of. */
export type CallSpec = Pick<Load, "options" | "request">;

/**
 * Reads the `.proto` file and makes the call that a load asks for. Rejects with an `Error` that says what was expected
 * and what there is: for a file that cannot be read, a method that is not there or streams, a body that is not its request
 * message, and expectations that a call cannot have.
 */
export async function resolveCall({ options, request }: CallSpec, folder: string): Promise<UnaryCall> {
  const method = await resolveMethod(grpcOptions.parse(options), folder);
  checkExpectedStatus(request.expectStatus);
  const requestType = { ...method.requestType, serialize: method.requestSerialize };
  const responseType = { ...method.responseType, serialize: method.responseSerialize };
  const expected = request.expectBody === null ? null : readMessage(request.expectBody, responseType, "expectBody");
  return {
    path: method.path,
    message: readMessage(bodyText(request), requestType, "body"),
    metadata: readMetadata(request.headers),
    isExpected: matchMessage(expected, responseType),
  };
}

async function resolveMethod({ proto, call }: GrpcOptions, folder: string): Promise<ProtoMethod> {
  if (proto !== undefined) {
    const file = resolve(folder, proto);
    return findMethod(await loadProto(file, folder), call, file);
  }
  const { GRPC_SAMPLE } = await import("@lbbench/backends");
  const { protoFile, service, method } = GRPC_SAMPLE;
  return findMethod(await loadProto(protoFile, folder), call ?? `${service}/${method}`, `the sample ${protoFile}`);
}

function checkExpectedStatus(expectStatus: string): void {
  if (expectStatus === "2xx") return;
  throw new Error(
    `expectStatus: expected 2xx, which for a call is OK, got "${expectStatus}". ` +
      "Calls have no other status of HTTP: leave it out for targets that speak gRPC.",
  );
}

function bodyText({ body, bodyEncoding }: RequestSpec): string {
  if (body === null) return "{}";
  return bodyEncoding === "base64" ? Buffer.from(body, "base64").toString("utf8") : body;
}
