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

describe("classifyFailure", () => {
  it.each([
    "busy",
    "Connection dropped",
    "read ECONNRESET",
    "Stream refused by server",
    `${NO_CONNECTION}Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: `,
  ])("takes UNAVAILABLE with an answer's headers for the server's word, whatever it says: %s", (details) => {
    expect(classifyFailure(failed(status.UNAVAILABLE, details, headers()), undefined)).toEqual({
      kind: "non2xx",
      status: "UNAVAILABLE",
    });
  });

  it("takes a status for the server's where the headers came before it", () => {
    expect(classifyFailure(failed(status.UNAVAILABLE, "busy"), headers())).toEqual({
      kind: "non2xx",
      status: "UNAVAILABLE",
    });
    expect(classifyFailure(failed(status.DEADLINE_EXCEEDED, "too slow"), headers())).toEqual({
      kind: "non2xx",
      status: "DEADLINE_EXCEEDED",
    });
  });

  it("gives a status without a name by its number", () => {
    expect(classifyFailure(failed(77 as status, "", headers()), undefined)).toEqual({ kind: "non2xx", status: "77" });
  });

  it.each([
    [`${NO_CONNECTION}Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: `, "ECONNREFUSED"],
    [
      `${NO_CONNECTION}Error: connect EADDRNOTAVAIL 127.0.0.1:1 - Local (0.0.0.0:0). Resolution note: `,
      "EADDRNOTAVAIL",
    ],
    [`${NO_CONNECTION}Error: connect EMFILE 127.0.0.1:1 - Local (undefined:undefined). Resolution note: `, "EMFILE"],
    [`${NO_CONNECTION}Error: self-signed certificate. Resolution note: `, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    [`${NO_CONNECTION}Error: self-signed certificate in certificate chain. `, "SELF_SIGNED_CERT_IN_CHAIN"],
    [`${NO_CONNECTION}Error: 808C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number: `, "EPROTO"],
    [`${NO_CONNECTION}Protocol error (2026-11-05T10:00:00.000Z). Resolution note: `, "ERR_HTTP2_ERROR"],
    [`${NO_CONNECTION}Failed to connect (2026-11-05T10:00:00.000Z). Resolution note: `, "CLOSED_IN_HANDSHAKE"],
    ["Name resolution failed for target dns:EXAMPLE.test:1", "ENOTFOUND"],
    [`${NO_CONNECTION}something new`, "UNKNOWN"],
  ])("takes a call without a connection for that: %s", (details, code) => {
    expect(classifyFailure(failed(status.UNAVAILABLE, details), undefined)).toEqual({ kind: "connectErrors", code });
  });

  it.each([
    [status.UNAVAILABLE, "Connection dropped", { kind: "dropped" }],
    [status.UNAVAILABLE, "read ECONNRESET", { kind: "resets", code: "ECONNRESET" }],
    [status.UNAVAILABLE, "Write error: write EPIPE", { kind: "resets", code: "EPIPE" }],
    [status.UNAVAILABLE, "Stream refused by server", { kind: "resets", code: "RST_STREAM_REFUSED_STREAM" }],
    [status.CANCELLED, "Call cancelled", { kind: "resets", code: "RST_STREAM_CANCEL" }],
    [
      status.INTERNAL,
      "Received RST_STREAM with code 2 (Internal server error)",
      { kind: "resets", code: "RST_STREAM_INTERNAL_ERROR" },
    ],
    [status.INTERNAL, "Received RST_STREAM with code 99", { kind: "resets", code: "RST_STREAM_99" }],
    [status.INTERNAL, "Received RST_STREAM with code 0 (Call ended without gRPC status)", { kind: "dropped" }],
    [status.INTERNAL, "Failed to start HTTP/2 stream with error x", { kind: "dropped", code: "UNKNOWN" }],
  ])("takes %i, %s, for the end of a call without a status", (code, details, expected) => {
    expect(classifyFailure(failed(code, details), undefined)).toEqual(expected);
    if (details.startsWith("Failed")) return;
    expect(classifyFailure(failed(code, details), headers())).toEqual(expected);
  });

  it("tells answers of HTTP that are none of gRPC", () => {
    const page = headers("text/html");
    const http503 = failed(status.UNAVAILABLE, "Received HTTP status code 503");
    expect(classifyFailure(http503, page)).toEqual({ kind: "non2xx", status: "HTTP 503" });
    const invalid = { kind: "mismatched", code: "INVALID_RESPONSE" };
    const noStatus = failed(status.UNKNOWN, "Received HTTP status code 200", headers());
    expect(classifyFailure(noStatus, undefined)).toEqual(invalid);
    const ended = failed(status.INTERNAL, "Received RST_STREAM with code 0 (Call ended without gRPC status)");
    expect(classifyFailure(ended, page)).toEqual(invalid);
    const empty = failed(status.UNIMPLEMENTED, "No message received", headers());
    expect(classifyFailure(empty, undefined)).toEqual(invalid);
    const unimplemented = failed(status.UNIMPLEMENTED, "The server does not implement it", headers());
    expect(classifyFailure(unimplemented, undefined)).toEqual({ kind: "non2xx", status: "UNIMPLEMENTED" });
  });
});
