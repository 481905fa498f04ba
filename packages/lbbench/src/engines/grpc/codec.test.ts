import type { Fields } from "@lbbench/wire";
import { describe, expect, it } from "vitest";
import { aRequest } from "../../test-support/fixtures.js";
import { LoadRun } from "../load-run.js";
import { Recorder } from "../recorder.js";
import { RequestAccount } from "../requester.js";
import { planRequests } from "../requests.js";
import { resolveCall, type GrpcCall } from "./call.js";
import { grpcCodec, timeoutText } from "./codec.js";
import { PROTO_FOLDER } from "./test-support/shop.js";

const PLAN = { authority: "shop.test:1", secure: false, deadlineMs: undefined };

const RECEIPT = '{"id": "a", "number": 7}';
const BYTES = [0x0a, 1, 0x61, 0x10, 7];
const OTHER = [0x0a, 1, 0x62];

/** A message with its prefix. */
function framed(bytes: readonly number[], flag = 0): Buffer {
  return Buffer.from([flag, 0, 0, 0, bytes.length, ...bytes]);
}

const HEAD: Fields = [":status", "200", "content-type", "application/grpc+proto"];
const OK: Fields = ["grpc-status", "0"];

interface Answer {
  readonly heads?: readonly Fields[];
  readonly pieces?: readonly Buffer[];
  /** `null`: it ends without. */
  readonly trailers?: Fields | null;
}

const calls = new Map<string, GrpcCall>();

/** Reads the file only once. */
async function callOf(method: string, expectBody: string | null): Promise<GrpcCall> {
  const options = { proto: "shop.proto", call: `shop.v1.Shop/${method}` };
  const known = calls.get(`${method} ${expectBody}`);
  const call = known ?? (await resolveCall({ options, request: aRequest({ expectBody }) }, PROTO_FOLDER));
  calls.set(`${method} ${expectBody}`, call);
  return call;
}

/** What becomes of a call of the method that is answered so. */
async function read(method: "Buy" | "Watch", answer: Answer, expectBody: string | null = RECEIPT) {
  const { heads = [HEAD], pieces = [framed(BYTES)], trailers = OK } = answer;
  const request = aRequest({ method: "POST", expectBody });
  const call = await callOf(method, expectBody);
  const recorder = new Recorder({ mergeable: false });
  const run = new LoadRun(recorder);
  const place = { index: 0, of: 1 };
  const account = new RequestAccount(run, planRequests({ url: "grpc://shop.test:1", request, keepAlive: true }, place));
  const reader = grpcCodec(call, PLAN).createReader(account);
  // What came before is forgotten.
  account.begin();
  reader.begin();
  reader.head(HEAD, 0);
  reader.data(Buffer.from([1, 0, 0]), 0, 3, 0);
  account.drop();
  recorder.counts.body = 0;
  account.begin();
  reader.begin();
  for (const head of heads) reader.head(head, run.nowUs());
  for (const piece of pieces) reader.data(piece, 0, piece.length, run.nowUs());
  reader.end(trailers ?? undefined, run.nowUs());
  const { requests, statusCodes, errorCodes } = recorder.finish(0, null);
  const [outcome] =
    Object.entries(requests).find(([key, count]) => !["sent", "inFlight"].includes(key) && count > 0) ?? [];
  return {
    outcome,
    code: [...Object.keys(statusCodes), ...Object.keys(errorCodes)].join(),
    body: recorder.counts.body,
  };
}

const INVALID = { outcome: "mismatched", code: "INVALID_RESPONSE" };

describe("a call", () => {
  it.each<[string, Answer, object]>([
    ["with its message is ok", {}, { outcome: "ok", code: "OK", body: BYTES.length }],
    ["whose type is not said is ok", { heads: [[":status", "200"]] }, { outcome: "ok" }],
    ["with an interim answer before is ok", { heads: [[":status", "103"], HEAD] }, { outcome: "ok" }],
    ["with another message is not", { pieces: [framed(OTHER)] }, { outcome: "mismatched", code: "OK", body: 3 }],
    ["without a message has no answer", { pieces: [] }, INVALID],
    ["with two messages has none either", { pieces: [framed(BYTES), framed(BYTES)] }, INVALID],
    ["with less than a message has none either", { pieces: [framed(BYTES).subarray(0, 9)] }, INVALID],
    ["with less than a prefix more has none either", { pieces: [framed(BYTES), Buffer.alloc(2)] }, INVALID],
    ["with a compressed message has none either", { pieces: [framed(BYTES, 1)] }, INVALID],
    ["with a page has none either", { heads: [[":status", "200", "content-type", "text/html"]] }, INVALID],
    ["with a status that is no number has none either", { trailers: ["grpc-status", "OK"] }, INVALID],
    ["without a status has not ended", { trailers: [] }, { outcome: "dropped", code: "" }],
    ["with neither trailers nor status has not ended", { trailers: null }, { outcome: "dropped", code: "" }],
    [
      "with a status of HTTP has that",
      { heads: [[":status", "502"]], trailers: null },
      { outcome: "non2xx", code: "HTTP 502" },
    ],
    [
      "with a status has that",
      { trailers: ["x", "0", "grpc-status", "16"] },
      { outcome: "non2xx", code: "UNAUTHENTICATED" },
    ],
    [
      "with a status without a name has its number",
      { trailers: ["grpc-status", "77"] },
      { outcome: "non2xx", code: "77" },
    ],
    [
      "with nothing but a status has that",
      { heads: [[...HEAD, "grpc-status", "14"]], pieces: [], trailers: null },
      { outcome: "non2xx", code: "UNAVAILABLE" },
    ],
  ])("%s", async (_, answer, expected) => {
    expect(await read("Buy", answer)).toMatchObject(expected);
  });

  it("takes any message where none is expected, also an empty one", async () => {
    for (const bytes of [[], [255]]) {
      expect(await read("Buy", { pieces: [framed(bytes)] }, null)).toMatchObject({ outcome: "ok", body: bytes.length });
    }
  });

  it.each<[string, readonly (readonly number[])[], object]>([
    ["none", [], { outcome: "ok", body: 0 }],
    ["one", [BYTES], { outcome: "ok", body: 5 }],
    ["three", [BYTES, BYTES, BYTES], { outcome: "ok", body: 15 }],
    ["one of them another", [BYTES, OTHER, BYTES], { outcome: "mismatched", code: "OK", body: 13 }],
    ["one of them empty", [BYTES, []], { outcome: "mismatched", code: "OK", body: 5 }],
  ])("reads a stream of messages wherever its pieces end: %s", async (_, messages, expected) => {
    const bytes = Buffer.concat(messages.map((message) => framed(message)));
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await read("Watch", { pieces: [bytes.subarray(0, at), bytes.subarray(at)] })).toMatchObject(expected);
    }
    const single = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await read("Watch", { pieces: single })).toMatchObject(expected);
  });
});

it("a call is sent as gRPC has it, the same each time", async () => {
  const headers = [["X-Tag", "1"]] as const;
  const call = await resolveCall({ options: {}, request: aRequest({ headers, body: '{"body": "aGk="}' }) }, ".");
  const codec = grpcCodec(call, { ...PLAN, secure: true, deadlineMs: 250 });
  const planned = planRequests(
    { url: "grpc://shop.test:1", request: aRequest(), keepAlive: true },
    { index: 0, of: 1 },
  )();
  const { fields, body } = codec.requestOf(planned);
  expect(codec.requestOf(planned).fields).toBe(fields);
  expect(body).toEqual(framed([0x0a, 2, 0x68, 0x69]));
  const lines = fields.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${fields[at + 1]}`] : []));
  expect(lines).toEqual([
    ":method: POST",
    ":scheme: https",
    ":path: /lbbench.sample.Work/Do",
    ":authority: shop.test:1",
    "te: trailers",
    "content-type: application/grpc",
    "grpc-accept-encoding: identity",
    "grpc-timeout: 250000u",
    "x-tag: 1",
  ]);
});

it.each([
  [0.0001, "1u"],
  [1.001, "1001u"],
  [99_999, "99999000u"],
  [100_000, "100000m"],
  [2_073_600_000, "2073600S"],
])("says a time of %d ms as %s", (ms, text) => {
  expect(timeoutText(ms)).toBe(text);
});
