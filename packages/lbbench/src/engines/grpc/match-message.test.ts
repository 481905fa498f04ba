import { beforeAll, describe, expect, it } from "vitest";
import { matchMessage } from "./match-message.js";
import type { MessageType } from "./read-message.js";
import { buyMethod } from "./test-support/shop.js";

let receipt: MessageType;

beforeAll(async () => {
  receipt = (await buyMethod()).responseType;
});

const ID_A = [0x0a, 1, 0x61];
const NUMBER_0 = [0x10, 0];
const NUMBER_7 = [0x10, 7];

describe("matchMessage", () => {
  it("lets any answer pass where none is expected, even one that is no message", () => {
    expect(matchMessage(null, receipt)(Buffer.from([255]))).toBe(true);
  });

  it("compares messages, whatever the order of their fields and whether defaults are written", () => {
    const matches = matchMessage(Buffer.from([...ID_A, ...NUMBER_7]), receipt);
    expect(matches(Buffer.from([...ID_A, ...NUMBER_7]))).toBe(true);
    expect(matches(Buffer.from([...NUMBER_7, ...ID_A]))).toBe(true);
    expect(matches(Buffer.from([...ID_A, ...NUMBER_7]))).toBe(true);
    const withoutNumber = matchMessage(Buffer.from(ID_A), receipt);
    expect(withoutNumber(Buffer.from([...ID_A, ...NUMBER_0]))).toBe(true);
    expect(withoutNumber(Buffer.from(ID_A))).toBe(true);
  });

  it("tells another message, and what is none", () => {
    const matches = matchMessage(Buffer.from([...ID_A, ...NUMBER_7]), receipt);
    expect(matches(Buffer.from(ID_A))).toBe(false);
    expect(matches(Buffer.from([]))).toBe(false);
    expect(matches(Buffer.from([255, 1, 2]))).toBe(false);
  });
});
