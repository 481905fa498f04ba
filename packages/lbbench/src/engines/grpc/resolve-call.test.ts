import { GRPC_SAMPLE } from "@lbbench/backends";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RequestSpec } from "../../model/scenario.js";
import { grpcEngine } from "./engine.js";
import { resolveCall, type CallSpec } from "./resolve-call.js";
import { buyMethod, PROTO_FOLDER } from "./test-support/shop.js";
import { aRequest } from "../../test-support/fixtures.js";

function asked(options: CallSpec["options"], request: Partial<RequestSpec> = {}): CallSpec {
  return {
    options,
    request: aRequest({ method: "POST", ...request }),
  };
}

const BUY = { proto: "shop.proto", call: "shop.v1.Shop/Buy" };

describe("resolveCall", () => {
  it("calls the sample service where nothing is said", async () => {
    const { path, message } = await resolveCall(asked({}), PROTO_FOLDER);
    expect(path).toBe(`/${GRPC_SAMPLE.service}/${GRPC_SAMPLE.method}`);
    expect(message).toHaveLength(0);
  });

  it("reads the file from the folder, with what it imports, and the body as the message", async () => {
    const { path, message } = await resolveCall(asked(BUY, { body: '{"customer_name": "Ada"}' }), PROTO_FOLDER);
    expect(path).toBe("/shop.v1.Shop/Buy");
    expect((await buyMethod()).requestDeserialize(message)).toMatchObject({ customer_name: "Ada" });
  });

  it("reads a body that is given in base64", async () => {
    const body = Buffer.from('{"gift": true}').toString("base64");
    const { message } = await resolveCall(asked(BUY, { body, bodyEncoding: "base64" }), PROTO_FOLDER);
    expect((await buyMethod()).requestDeserialize(message)).toMatchObject({ gift: true });
  });

  it("finds imports from the folder where the file lies deeper", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lbbench-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const proto = join(folder, "deep.proto");
    const lines = [
      'syntax = "proto3";',
      'import "common/money.proto";',
      "service Bank { rpc Pay (common.Money) returns (common.Money); }",
    ];
    writeFileSync(proto, lines.join("\n"));
    expect((await resolveCall(asked({ proto }), PROTO_FOLDER)).path).toBe("/Bank/Pay");
  });

  it("expects the message of expectBody", async () => {
    const { isExpected } = await resolveCall(asked(BUY, { expectBody: '{"id": "a"}' }), PROTO_FOLDER);
    const { responseSerialize } = await buyMethod();
    expect(isExpected(Buffer.from(responseSerialize({ id: "a" })))).toBe(true);
    expect(isExpected(Buffer.from(responseSerialize({ id: "b" })))).toBe(false);
  });

  it.each<[string, CallSpec, string]>([
    ["a file that is not there", asked({ proto: "ship.proto" }), `got ${PROTO_FOLDER}ship.proto: ENOENT`],
    ["a file that is none", asked({ proto: "shop.ts" }), `got ${PROTO_FOLDER}shop.ts: illegal token`],
    ["no method where there are several", asked({ proto: "shop.proto" }), "which has 2 unary methods; got none"],
    ["a method that is not there", asked({ ...BUY, call: "shop.v1.Shop/Bye" }), 'got "shop.v1.Shop/Bye". It has'],
    [
      "a method of the sample that is not there",
      asked({ call: "lbbench.sample.Work/Done" }),
      "lbbench.sample.Work/Do.",
    ],
    ["a body that is no message", asked(BUY, { body: "hello" }), "body: expected a message Order, written as JSON"],
    ["an expectation that is no message", asked(BUY, { expectBody: "{}x" }), "expectBody: expected a message Receipt"],
    ["a status of HTTP", asked(BUY, { expectStatus: "200,404" }), "expectStatus: expected 2xx, which for a call is OK"],
    ["headers that a call cannot have", asked(BUY, { headers: [["Host", "a"]] }), 'got "Host"'],
  ])("refuses %s, before anything is sent", async (_, spec, message) => {
    await expect(resolveCall(spec, PROTO_FOLDER)).rejects.toThrow(message);
    const asked = { ...spec, timeoutMs: 1000, keepAlive: true, levels: [] };
    await expect(grpcEngine.check?.(asked, { folder: PROTO_FOLDER })).rejects.toThrow(message);
  });
});
