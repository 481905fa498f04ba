import { beforeAll, describe, expect, it } from "vitest";
import { readMessage, type MessageType } from "./read-message.js";
import { buyMethod } from "./test-support/shop.js";

let order: MessageType;

beforeAll(async () => {
  order = (await buyMethod()).requestType;
});

describe("readMessage", () => {
  it.each([
    "{}",
    '{"customer_name": "Ada", "items": [{"sku": "a", "count": -3}, {}], "counts": {"a": 5, "b": "9007199254740993"}}',
    '{"kind": "TAKE_AWAY", "cash": {"units": "12", "currency": "EUR"}, "table": 0, "gift": true, "weight": 1.1}',
    '{"at": {"seconds": 1700000000, "nanos": 5}, "note": "aGVsbG8="}',
    '{"card": "4711", "note": "aGVsbG8", "customer_name": null}',
  ])("makes bytes of %s that are read as the same message", (text) => {
    const bytes = readMessage(text, order, "body");
    expect(Buffer.isBuffer(bytes)).toBe(true);
    const read = order.deserialize(bytes);
    expect(order.deserialize(Buffer.from(order.serialize(JSON.parse(text) as object)))).toEqual(read);
  });

  it.each([
    ["not JSON", "hello", "body: expected a message Order, written as JSON, got hello: Unexpected token"],
    ["a list", "[]", "body: expected a message Order, written as JSON such as {}, got []"],
    ["a text", '"x"', 'such as {}, got "x"'],
    [
      "an unknown field",
      '{"customer": "Ada"}',
      'got "customer", which is no field of Order. It has customer_name, items, counts, kind, card, cash, at, table',
    ],
    ["a field by its name in JSON", '{"customerName": "Ada"}', 'got "customerName", which is no field of Order'],
    [
      "an unknown field of a message inside",
      '{"items": [{}, {"sku": "a", "price": 1}]}',
      'got "price", which is no field of Order.items[1]. It has sku, count.',
    ],
    [
      "a word for a number",
      '{"items": [{"count": "many"}]}',
      'got "many" for Order.items[0].count, which would be sent as 0',
    ],
    [
      "a number that is too large",
      '{"table": 3000000000}',
      "got 3000000000 for Order.table, which would be sent as -1294967296",
    ],
    ["a fraction of a whole number", '{"table": 1.5}', "got 1.5 for Order.table, which would be sent as 1"],
    [
      "an unknown name of an enum",
      '{"kind": "TAKEAWAY"}',
      'got "TAKEAWAY" for Order.kind, which would be sent as "EAT_IN"',
    ],
    ["a word for a truth", '{"gift": "yes"}', 'got "yes" for Order.gift, which would be sent as true'],
    ["an object for a text", '{"customer_name": {"first": "Ada"}}', "for Order.customer_name, which would be sent as"],
    ["an object for a list", '{"items": {}}', "got one that cannot be sent: .shop.v1.Order.items: array expected"],
    ["a text for a message", '{"at": "2026-11-05"}', "got one that cannot be sent: .shop.v1.Order.at: object expected"],
    ["bytes that are not base64", '{"note": "g r"}', "got one that cannot be sent: invalid encoding"],
  ])("refuses %s", (_, text, message) => {
    expect(() => readMessage(text, order, "body")).toThrow(message);
  });
});
