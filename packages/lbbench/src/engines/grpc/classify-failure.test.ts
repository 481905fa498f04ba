import { Metadata, status, type StatusObject } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { classifyFailure } from "./classify-failure.js";

const NO_CONNECTION = "No connection established. Last error: ";

function headers(contentType = "application/grpc+proto"): Metadata {
  const metadata = new Metadata();
  metadata.set("content-type", contentType);
  return metadata;
}

function failed(code: status, details: string, metadata = new Metadata()): StatusObject {
  return { code, details, metadata };
}

// What real servers do is in the ground truth; here is what takes a machine that has run out of something, and texts.
describe("classifyFailure", () => {
  it("gives a status without a name by its number", () => {
    expect(classifyFailure(failed(77 as status, "", headers()), undefined)).toEqual({ kind: "non2xx", status: "77" });
  });

  it.each([
    [
      `${NO_CONNECTION}Error: connect EADDRNOTAVAIL 127.0.0.1:1 - Local (0.0.0.0:0). Resolution note: `,
      "EADDRNOTAVAIL",
    ],
    [`${NO_CONNECTION}Error: connect EMFILE 127.0.0.1:1 - Local (undefined:undefined). Resolution note: `, "EMFILE"],
    [`${NO_CONNECTION}Error: self-signed certificate in certificate chain. `, "SELF_SIGNED_CERT_IN_CHAIN"],
    [`${NO_CONNECTION}Error: 808C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number: `, "EPROTO"],
    [`${NO_CONNECTION}something new`, "UNKNOWN"],
  ])("takes a call without a connection for that: %s", (details, code) => {
    expect(classifyFailure(failed(status.UNAVAILABLE, details), undefined)).toEqual({ kind: "connectErrors", code });
  });

  it.each([
    [status.UNAVAILABLE, "Write error: write EPIPE", { kind: "resets", code: "EPIPE" }],
    [status.CANCELLED, "Call cancelled", { kind: "resets", code: "RST_STREAM_CANCEL" }],
    [status.INTERNAL, "Received RST_STREAM with code 99", { kind: "resets", code: "RST_STREAM_99" }],
    [status.INTERNAL, "Received RST_STREAM with code 0 (Call ended without gRPC status)", { kind: "dropped" }],
    [status.INTERNAL, "Failed to start HTTP/2 stream with error x", { kind: "dropped", code: "UNKNOWN" }],
  ])("takes %i, %s, for the end of a call without a status", (code, details, expected) => {
    expect(classifyFailure(failed(code, details), undefined)).toEqual(expected);
  });

  it("tells answers without a message from those of a method that is not there", () => {
    const invalid = { kind: "mismatched", code: "INVALID_RESPONSE" };
    const empty = failed(status.UNIMPLEMENTED, "No message received", headers());
    expect(classifyFailure(empty, undefined)).toEqual(invalid);
    const unimplemented = failed(status.UNIMPLEMENTED, "The server does not implement it", headers());
    expect(classifyFailure(unimplemented, undefined)).toEqual({ kind: "non2xx", status: "UNIMPLEMENTED" });
  });
});
