import { status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { callStatus, gatewayStatus } from "./http-status.js";

describe("gatewayStatus", () => {
  it.each([
    [503, status.UNAVAILABLE],
    [503, status.RESOURCE_EXHAUSTED],
    [504, status.DEADLINE_EXCEEDED],
    [502, status.INTERNAL],
    [502, status.UNIMPLEMENTED],
    [502, status.UNKNOWN],
    [502, status.CANCELLED],
  ])("is %d for a call that ended with %s", (expected, code) => {
    expect(gatewayStatus(code)).toBe(expected);
  });
});

describe("callStatus", () => {
  it.each([
    [200, status.OK],
    [404, status.OK],
    [500, status.INTERNAL],
    [502, status.INTERNAL],
    [503, status.UNAVAILABLE],
    [599, status.INTERNAL],
  ])("of an answer with %d is %s", (httpStatus, code) => {
    expect(callStatus(httpStatus)).toBe(code);
  });
});
