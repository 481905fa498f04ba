import { GRPC_SAMPLE } from "@lbbench/backends";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import type { RequestSpec } from "../../model/scenario.js";
import { aRequest } from "../../test-support/fixtures.js";
import { grpcEngine } from "./engine.js";
import { parseGrpcTarget, resolveCall, type CallSpec } from "./call.js";
import { buyMethod, PROTO_FOLDER } from "./test-support/shop.js";

function asked(options: CallSpec["options"], request: Partial<RequestSpec> = {}): CallSpec {
  return { options, request: aRequest({ method: "POST", ...request }) };
}

const BUY = { proto: "shop.proto", call: "shop.v1.Shop/Buy" };
const MONEY = 'syntax = "proto3"; import "common/money.proto";';
const PAY = "rpc Pay (common.Money) returns (common.Money);";

/** Writes a file of a service into a folder of its own; returns its path. */
const protoFile = (service: string): string =>
  join(temporaryFolder({ "deep.proto": `${MONEY} service Bank { ${service} }` }), "deep.proto");

describe("resolveCall finds", () => {
  it("the sample service where nothing is said", async () => {
    const { path, message } = await resolveCall(asked({}), PROTO_FOLDER);
    expect(path).toBe(`/${GRPC_SAMPLE.service}/${GRPC_SAMPLE.method}`);
    expect(message).toHaveLength(0);
  });

  it.each(["shop.v1.Shop/Buy", "shop.v1.Shop.Buy"])("the method %s", async (call) => {
    expect((await resolveCall(asked({ ...BUY, call }), PROTO_FOLDER)).path).toBe("/shop.v1.Shop/Buy");
  });

  it("the only unary method of a file that lies deeper, and what it imports from the folder", async () => {
    const proto = protoFile(`${PAY} rpc Watch (common.Money) returns (stream common.Money);`);
    expect(await resolveCall(asked({ proto }), PROTO_FOLDER)).toMatchObject({ path: "/Bank/Pay", streams: false });
  });

  it("a method that answers with a stream, by its name or where there is no other", async () => {
    const watch = { ...BUY, call: "shop.v1.Shop/Watch" };
    expect(await resolveCall(asked(watch), PROTO_FOLDER)).toMatchObject({ path: "/shop.v1.Shop/Watch", streams: true });
    const proto = protoFile("rpc Watch (common.Money) returns (stream common.Money);");
    expect(await resolveCall(asked({ proto }), PROTO_FOLDER)).toMatchObject({ path: "/Bank/Watch", streams: true });
  });
});

describe("resolveCall makes a message", () => {
  it.each([
    "{}",
    '{"customer_name": "Ada", "items": [{"sku": "a", "count": -3}, {}], "counts": {"a": 5, "b": "9007199254740993"}}',
    '{"kind": "TAKE_AWAY", "cash": {"units": "12", "currency": "EUR"}, "table": 0, "gift": true, "weight": 1.1}',
    '{"at": {"seconds": 1700000000, "nanos": 5}, "note": "aGVsbG8="}',
    '{"card": "4711", "note": "aGVsbG8", "customer_name": null}',
  ])("of %s, which is read as the same, also from base64", async (body) => {
    const { requestDeserialize, requestSerialize } = buyMethod();
    const expected = requestDeserialize(Buffer.from(requestSerialize(JSON.parse(body) as object)));
    const base64 = { body: Buffer.from(body).toString("base64"), bodyEncoding: "base64" } as const;
    for (const request of [{ body }, base64]) {
      const { message } = await resolveCall(asked(BUY, request), PROTO_FOLDER);
      expect(requestDeserialize(Buffer.from(message))).toEqual(expected);
    }
  });

  it("with its metadata: names in small letters, repetitions, bytes of names that end in -bin, no type of the content", async () => {
    const headers = [
      ["Authorization", "Bearer t"],
      ["x-tag", "1"],
      ["X-Tag", "2"],
      ["Trace-Bin", "AAEC"],
      ["Content-Type", "application/json"],
    ] as const;
    const { metadata } = await resolveCall(asked({}, { headers }), PROTO_FOLDER);
    const fields = ["authorization", "Bearer t", "x-tag", "1", "x-tag", "2", "trace-bin", "AAEC"];
    expect(metadata).toEqual(fields);
  });
});

describe("resolveCall expects", () => {
  const ID_A = [0x0a, 1, 0x61];
  const NUMBER_0 = [0x10, 0];
  const NUMBER_7 = [0x10, 7];

  it.each([
    ["the message", '{"id": "a", "number": 7}', [...ID_A, ...NUMBER_7], true],
    ["its fields in any order", '{"id": "a", "number": 7}', [...NUMBER_7, ...ID_A], true],
    ["a default that is written", '{"id": "a"}', [...ID_A, ...NUMBER_0], true],
    ["not one that lacks a field", '{"id": "a", "number": 7}', ID_A, false],
    ["not an empty one", '{"id": "a", "number": 7}', [], false],
    ["not what is none", '{"id": "a"}', [255, 1, 2], false],
  ])("%s", async (_, expectBody, bytes, expected) => {
    const { isExpected } = await resolveCall(asked(BUY, { expectBody }), PROTO_FOLDER);
    const answer = Buffer.from(bytes);
    expect(isExpected?.(answer)).toBe(expected);
    // The memory that it is read from is used again.
    answer.fill(0);
    expect(isExpected?.(Buffer.from(bytes))).toBe(expected);
  });

  it("any answer where none is asked for", async () => {
    expect((await resolveCall(asked(BUY), PROTO_FOLDER)).isExpected).toBeUndefined();
  });
});

describe("resolveCall refuses, before anything is sent,", () => {
  const METHODS =
    "It has shop.v1.Shop/Buy, shop.v1.Shop/Return, shop.v1.Shop/Watch (streams answers), shop.v1.Shop/Fill (streams requests).";
  const body = (text: string): CallSpec => asked(BUY, { body: text });
  const header = (name: string, value = "1"): CallSpec => asked(BUY, { headers: [[name, value]] });

  it.each<[string, () => CallSpec, string]>([
    ["a file that is not there", () => asked({ proto: "ship.proto" }), `got ${PROTO_FOLDER}ship.proto: ENOENT`],
    ["a file that is none", () => asked({ proto: "shop.ts" }), `got ${PROTO_FOLDER}shop.ts: illegal token`],
    ["no method where there are several", () => asked({ proto: "shop.proto" }), "which has 3 of them; got no name"],
    ["a method that is not there", () => asked({ ...BUY, call: "shop.v1.Shop/Bye" }), METHODS],
    ["a method without its package", () => asked({ ...BUY, call: "Shop/Buy" }), METHODS],
    [
      "a method that takes a stream",
      () => asked({ ...BUY, call: "shop.v1.Shop/Fill" }),
      "which streams requests. It has",
    ],
    [
      "a service without methods",
      () => asked({ proto: protoFile("") }),
      "which has none; got no name. It has no methods.",
    ],
    [
      "one of too many methods to list",
      () =>
        asked({ proto: protoFile(Array.from({ length: 33 }, (_, at) => PAY.replace("Pay", `Pay${at}`)).join(" ")) }),
      "Bank/Pay28, Bank/Pay29 and 3 more.",
    ],
    ["no method of the sample", () => asked({ call: "lbbench.sample.Work/Done" }), "lbbench.sample.Work/Do."],
    ["a status of HTTP", () => asked(BUY, { expectStatus: "200,404" }), "expected 2xx, which for a call is OK"],
    ["a wrong expectation", () => asked(BUY, { expectBody: "{}x" }), "expectBody: expected a message Receipt"],
    ...["Host", "Connection", "Transfer-Encoding", "Content-Length", "TE", "User-Agent", "grpc-timeout"].map(
      (name): [string, () => CallSpec, string] => [name, () => header(name), `metadata of a call, got "${name}"`],
    ),
    ["a value that metadata cannot have", () => header("x-name", "Grüße"), 'got "x-name: Grüße": it has characters'],
    ["a name that metadata cannot have", () => header("x name"), '"x name" is no name of a field'],
    ["what is not JSON", () => body("hello"), "a message Order, written as JSON, got hello: Unexpected token"],
    ["a list", () => body("[]"), "written as JSON such as {}, got []"],
    ["an unknown field", () => body('{"customer": "Ada"}'), "which is no field of Order. It has customer_name, items"],
    ["a field inside", () => body('{"items": [{}, {"price": 1}]}'), "no field of Order.items[1]. It has sku, count."],
    [
      "a word for a number",
      () => body('{"items": [{"count": "many"}]}'),
      "for Order.items[0].count, which would be sent as 0",
    ],
    ["too large a number", () => body('{"table": 3000000000}'), "for Order.table, which would be sent as -1294967296"],
    ["an unknown enum", () => body('{"kind": "TAKEAWAY"}'), 'for Order.kind, which would be sent as "EAT_IN"'],
    ["bytes that are not base64", () => body('{"note": "g r"}'), "got one that cannot be sent: invalid encoding"],
  ])("%s", async (_, create, message) => {
    const spec = create();
    await expect(resolveCall(spec, PROTO_FOLDER)).rejects.toThrow(message);
    const load = { ...spec, timeoutMs: 1000, keepAlive: true, levels: [] };
    await expect(grpcEngine.check?.(load, { folder: PROTO_FOLDER })).rejects.toThrow(message);
  });
});

describe("parseGrpcTarget", () => {
  it.each([
    ["grpc://127.0.0.1:50051", "127.0.0.1:50051", false],
    ["grpc://[::1]:50051/", "[::1]:50051", false],
    ["grpcs://api.example.test:443", "api.example.test:443", true],
  ])("reads %s", (text, authority, secure) => {
    expect(parseGrpcTarget(text)).toEqual({ authority, secure });
  });

  it.each([
    "",
    "127.0.0.1:50051",
    "http://127.0.0.1:50051",
    "grpc://127.0.0.1",
    "grpc://:50051",
    "grpc://a:1/pkg.Service/Method",
    "grpc://a:1?x=1",
    "grpc://a:1#x",
    "grpc://me@a:1",
    "grpc://:secret@a:1",
  ])('refuses "%s", and says what is expected', (text) => {
    const expected = "a URL of host and port alone, such as grpc://127.0.0.1:50051 (grpcs:// for TLS)";
    expect(() => parseGrpcTarget(text)).toThrow(`expected ${expected}, got "${text}"`);
  });
});
