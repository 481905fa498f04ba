import { expect, it } from "vitest";
import { describeAmount, describePlaces } from "./describe-level.js";

it.each([
  [{ requests: 1 }, "1 request"],
  [{ requests: 1000 }, "1,000 requests"],
  [{ durationMs: 3000 }, "3 s"],
])("the amount of %j is called %s", (amount, words) => {
  expect(describeAmount({ connections: 1, ...amount })).toBe(words);
});

const MATRIX = [100, 1000].flatMap((requests) => [1, 50].map((connections) => ({ connections, requests })));

it.each([
  [[0, 1, 2, 3], "1 / 50 connections with 100 / 1,000 requests"],
  [[0, 1, 3], "1 / 50 connections with 100 requests, 50 connections with 1,000 requests"],
  [[2], "1 connection with 1,000 requests"],
])("of a matrix the levels %j are told with their requests", (places, words) => {
  expect(
    describePlaces(
      MATRIX.filter((_, at) => places.includes(at)),
      MATRIX,
    ),
  ).toBe(words);
});

it("levels of one number of requests are told without it", () => {
  expect(describePlaces(MATRIX.slice(0, 1), MATRIX.slice(0, 2))).toBe("1 connection");
});
